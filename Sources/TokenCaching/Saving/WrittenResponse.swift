// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The stored entries of a response.
struct WrittenResponse: Sendable {
    /// The account after the change; nil for app-only tokens.
    let account: AccountSummary?
    /// The home account id that it was stored under; nil for app-only tokens.
    let homeAccountID: String?
    /// Nil if the response had none.
    let accessToken: WrittenToken?
    /// The refusals that the response ends.
    let answered: AnsweredRefusals
}

extension Engine {
    /// The access token that was written, regardless of its lifetime and of which query could find it. A token that
    /// this process wrote is returned even if other processes' changes temporarily cannot be read.
    ///
    /// - Parameters:
    ///   - written: the written token.
    ///   - deadline: when the call returns at the latest.
    ///   - terms: the query to repeat if the token is gone when it is opened.
    /// - Returns: nil if the token was replaced or removed since.
    /// - Throws: errors of reading the state.
    func accessToken(
        _ written: WrittenToken,
        until deadline: Deadline,
        for terms: (FactsRow, PartitionFacts) -> PreparedQuery
    ) throws(StorageError) -> AccessToken? {
        let now = ClockReading.now(clock)
        let freshness = try freshen(now, until: deadline)
        let facts = try facts(of: written.partition, freshness)
        guard let index = facts.index(of: written) else {
            if let staleness = freshness.staleness { throw staleness.error }
            return nil
        }
        return accessToken(index, of: facts, for: terms(facts.row(index), facts), now: now.seconds)
    }

    /// The access token of a row, regardless of its expiry.
    func accessToken(_ index: Int, of facts: PartitionFacts, for terms: PreparedQuery, now: Int64) -> AccessToken {
        let refreshOn = facts.row(index).refreshOn
        let matchResult = MatchResult(outcome: .valid(row: index))
        return AccessToken(
            answer: TokenAnswer(matchResult, at: 0, engine: self, terms: terms, facts: facts, group: nil),
            row: Int32(truncatingIfNeeded: index),
            shouldRenew: refreshOn != FactsRow.missing && refreshOn <= now,
            staleness: nil
        )
    }
}
