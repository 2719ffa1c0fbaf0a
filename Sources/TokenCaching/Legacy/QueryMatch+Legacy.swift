internal import UnifiedSchema

extension QueryMatch {
    /// Whether the row is a refresh token of ADAL that could be spent for the query.
    ///
    /// One for several resources serves any scope. One for a single resource serves the scopes that begin with the name
    /// of that resource and a slash.
    func isUsableLegacyToken(_ row: FactsRow) -> Bool {
        guard row.kind.isLegacy, row.flags.contains(.legacyRefreshToken), serves(row) else { return false }
        guard !row.scopes.isNone else { return true }
        return terms.areScopes(of: facts.span(row.scopes))
    }

    /// The newest refresh token of ADAL that the client may spend: its own, else one of a family that it may be in.
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
