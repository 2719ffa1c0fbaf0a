internal import RecordStorage

/// The refresh token that a renewal spent, and what was known of removals when it was handed out.
struct SpentToken: Hashable, Sendable {
    /// Where it was stored.
    let partition: PartitionTag
    /// Its record, and the version of it.
    let tag: RecordTag
    let sequence: UInt64
    /// The newest transaction that wrote to the partition when the token was handed out.
    ///
    /// Every removal that concerns an account writes to its partition, or empties it. So what was removed by a later
    /// transaction was removed since, and what was removed by an earlier one was known.
    let seenSequence: UInt64

    init(_ token: RefreshToken) {
        let facts = token.answer.facts
        let row = facts.row(Int(token.row))
        partition = facts.partition
        tag = row.tag
        sequence = row.sequence
        let rows = facts.rows
        var newest = row.sequence
        for index in rows.indices { newest = max(newest, rows[index].sequence) }
        seenSequence = newest
    }
}
