// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

extension Engine {
    /// The id token for the account and tenant of a query; nil if there is none.
    func idToken(for terms: PreparedQuery) throws(StorageError) -> IDToken? {
        if let defect = terms.defect ?? terms.textDefect { throw StorageError(.invalidRequest, detail: defect) }
        let freshness = try freshen(ClockReading.now(clock), until: newDeadline())
        if let staleness = freshness.staleness { throw staleness.error }
        guard case .found(let facts) = try resolution(of: terms, freshness, nil) else { return nil }
        try facts.checkSignInState()
        let match = QueryMatch(terms, facts, client: clientBytes)
        if match.isSignedOut { return nil }
        guard let row = match.idToken else {
            // An unreadable record must not count as missing.
            guard facts.damagedCount == 0 else {
                throw StorageError(.damaged, detail: "\(facts.damagedCount) entries of the account cannot be read")
            }
            return nil
        }
        return IDToken(facts: facts, row: Int32(truncatingIfNeeded: row))
    }
}

extension QueryMatch {
    /// The newest id token for the query; a version 1 token only if there is no other.
    fileprivate var idToken: Int? {
        let rows = facts.rows
        var newest: Int?
        for index in rows.indices where isWantedIDToken(rows[index]) {
            if let newest, !rows[index].isPreferred(to: rows[newest]) { continue }
            newest = index
        }
        return newest
    }
}

extension FactsRow {
    fileprivate func isPreferred(to other: FactsRow) -> Bool {
        kind == other.kind ? precedes(other) : other.kind.isOldIDToken
    }
}
