// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

extension QueryMatch {
    /// Whether the row is an ADAL refresh token that could be redeemed for the query.
    ///
    /// A token for several resources matches any scope. A token for a single resource matches the scopes that begin
    /// with the name of that resource and a slash.
    func isUsableLegacyToken(_ row: FactsRow) -> Bool {
        guard row.kind.isLegacy, row.flags.contains(.legacyRefreshToken), serves(row) else { return false }
        guard !row.scopes.isNone else { return true }
        return terms.areScopes(of: facts.span(row.scopes))
    }

    /// The newest ADAL refresh token that the client may redeem: its own, otherwise one of a family that it may belong
    /// to.
    func newestLegacyToken(_ families: ClientFamilies) -> Int? {
        newestLegacyToken { $0.client == client }
            ?? newestLegacyToken { row in
                row.namesFamily && families.isMember(of: facts.span(row.family), cloud: facts.span(row.cloud))
            }
    }

    private func newestLegacyToken(where isWanted: (FactsRow) -> Bool) -> Int? {
        let rows = facts.rows
        var newest: Int?
        for index in rows.indices where isUsableLegacyToken(rows[index]) && isWanted(rows[index]) {
            if let newest, !rows[index].isNewer(than: rows[newest]) { continue }
            newest = index
        }
        return newest
    }
}
