internal import RecordStorage

/// The refresh token that a renewal spent, and what was known of removals when it was handed out.
struct RedeemedToken: Hashable, Sendable {
    let stored: WrittenToken
    /// The newest transaction that wrote to the partition when the token was handed out.
    ///
    /// Every removal that concerns an account writes to its partition, or empties it. So what was removed by a later
    /// transaction was removed since, and what was removed by an earlier one was known.
    let seenSequence: UInt64

    init(_ token: RefreshToken) {
        stored = token.stored
        seenSequence = token.answer.facts.newestSequence
    }
}

extension RefreshToken {
    /// Where it was stored when it was handed out.
    var stored: WrittenToken {
        let facts = answer.facts
        let row = facts.row(Int(row))
        return WrittenToken(partition: facts.partition, tag: row.tag, sequence: row.sequence)
    }
}
