/// Which entries of a partition a query may get, as far as they are kept apart from others.
struct IsolationMatch {
    /// Nil: plain entries only.
    private let wanted: Isolation?
    /// The claims in their other spelling.
    private let claimsHash: Symbol

    init(_ terms: QueryTerms, _ facts: PartitionFacts) {
        guard let isolation = terms.isolation else {
            wanted = nil
            claimsHash = .absent
            return
        }
        func symbol(_ range: TextRange) -> Symbol { range.isEmpty ? .none : facts.symbol(terms.span(range)) }
        wanted = Isolation(
            claims: symbol(isolation.claims),
            extendedKey: symbol(isolation.extendedKey),
            application: symbol(isolation.application),
            assertion: symbol(isolation.assertion)
        )
        claimsHash = isolation.claims.isEmpty ? .absent : symbol(isolation.claimsHash)
    }

    /// Whether an access token is kept apart by exactly what the query names.
    func isExact(_ row: FactsRow, of facts: PartitionFacts) -> Bool {
        guard let wanted else { return !row.isIsolated }
        guard let isolation = facts.isolation(of: row) else { return false }
        return isolation.extendedKey == wanted.extendedKey && isolation.application == wanted.application
            && isolation.assertion == wanted.assertion && areWanted(isolation.claims)
    }

    /// Whether a refresh token, or another entry that tells nothing of a resource, may be used for the query.
    ///
    /// It belongs to the person's session with a service as much as an access token does. By the rest it is seldom kept
    /// apart: one that is not serves every such query.
    func isOpen(_ row: FactsRow, of facts: PartitionFacts) -> Bool {
        guard row.isIsolated || wanted != nil else { return true }
        let wanted = wanted ?? Isolation()
        guard row.isIsolated else { return wanted.assertion.isNone }
        guard let isolation = facts.isolation(of: row), isolation.assertion == wanted.assertion else { return false }
        return (isolation.extendedKey.isNone || isolation.extendedKey == wanted.extendedKey)
            && (isolation.application.isNone || isolation.application == wanted.application)
            && (isolation.claims.isNone || areWanted(isolation.claims))
    }

    private func areWanted(_ claims: Symbol) -> Bool {
        claims == wanted?.claims || claims == claimsHash
    }
}
