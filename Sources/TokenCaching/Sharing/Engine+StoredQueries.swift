// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

extension Engine {
    /// Answers a query from the newest state.
    ///
    /// - Parameters:
    ///   - terms: the query.
    ///   - query: remembers the answer if its terms are these, so that the next renewal only looks it up.
    ///   - deadline: when the call returns at the latest.
    /// - Returns: the answer, as of the newest state.
    /// - Throws: the errors of a lookup; also if the newest state cannot be read.
    func freshAnswer(
        to terms: PreparedQuery,
        keptBy query: TokenQuery? = nil,
        until deadline: Deadline
    ) throws(StorageError) -> TokenAnswer {
        let now = ClockReading.now(clock)
        let freshness = try freshen(now, until: deadline)
        if let staleness = freshness.staleness { throw staleness.error }
        let answer = try answer(to: terms, freshness, now, knownPartition: nil)
        if freshness.currentRevision != nil { query?.answers.store(answer) }
        return answer
    }

    func freshAnswer(to stored: StoredQuery, until deadline: Deadline) throws(StorageError) -> TokenAnswer {
        try freshAnswer(to: stored.terms, keptBy: stored.query, until: deadline)
    }

    /// The token for a query; if the store is temporarily unreadable, the last known one, as in a lookup.
    ///
    /// For a caller that knows what to report if there is no token, such as a server's response.
    func knownToken(for stored: StoredQuery, until deadline: Deadline) throws(StorageError) -> AccessToken? {
        do throws(StorageError) {
            let now = ClockReading.now(clock)
            let freshness = try freshen(now, until: deadline)
            let answer = try answer(to: stored.terms, freshness, now, knownPartition: nil)
            let decision = answer.decision(now: now.seconds, staleness: freshness.staleness?.reason)
            guard case .valid(let token) = decision else { return nil }
            return token
        } catch {
            guard error.isStoreBusy else { throw error }
            return nil
        }
    }
}

/// A query that ignores no stored tokens.
struct StoredQuery: Sendable {
    let terms: PreparedQuery
    /// The original query; nil if it ignores stored tokens.
    let query: TokenQuery?

    init(_ query: TokenQuery) {
        self.query = query.terms.ignoresStoredTokens ? nil : query
        terms = self.query?.terms ?? PreparedQuery(query.terms, ignoresStoredTokens: false)
    }
}
