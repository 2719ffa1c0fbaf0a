// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The refresh token that a renewal redeemed, and which removals were known when it was handed out.
struct RedeemedToken: Hashable, Sendable {
    let stored: WrittenToken
    /// The newest transaction that had written to the partition when the token was handed out.
    ///
    /// Every removal that concerns an account writes to its partition, or empties it. So a removal in a later
    /// transaction happened since, and one in an earlier transaction was known then.
    let seenSequence: UInt64

    init(_ token: RefreshToken) {
        stored = token.stored
        seenSequence = token.answer.facts.newestSequence
    }
}

extension RefreshToken {
    /// Its record when it was handed out.
    var stored: WrittenToken {
        let facts = answer.facts
        let row = facts.row(Int(row))
        return WrittenToken(partition: facts.partition, tag: row.tag, sequence: row.sequence)
    }
}
