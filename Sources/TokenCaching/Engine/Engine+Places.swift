internal import RecordStorage
internal import Synchronization

extension Engine {
    /// The facts that answer a query, or why there are none.
    enum Place: Sendable {
        case found(PartitionFacts)
        /// The facts are those that were looked at.
        case unclear(InteractionReason, PartitionFacts)
    }

    /// Finds the facts that a query is about.
    ///
    /// An id leads to the account's partition. Where nothing is there it may be that of an account without a home
    /// account id, which is known by its username.
    func place(
        of terms: QueryTerms,
        _ freshness: Freshness,
        _ knownPartition: PartitionTag?
    ) throws(TokenCacheError) -> Place {
        guard terms.subject != .application, knownPartition == nil, freshness.isSettled else {
            return try findPlace(of: terms, freshness, knownPartition)
        }
        let hash = PartitionFacts.accountHash(terms.span(terms.account))
        let (known, generation) = state.withLock { state in
            (state.place(terms.subject, terms.span(terms.account), hash: hash), state.generation)
        }
        if let known { return known }
        let found = try findPlace(of: terms, freshness, nil)
        // What is an account's own is found by its id already.
        if case .found(let facts) = found, terms.subject == .homeAccountID, !facts.isEmpty { return found }
        let name = Array(String(copying: terms.span(terms.account)).utf8)
        state.withLock { $0.keep(found, of: terms.subject, name, hash: hash, readIn: generation) }
        return found
    }

    private func findPlace(
        of terms: QueryTerms,
        _ freshness: Freshness,
        _ knownPartition: PartitionTag?
    ) throws(TokenCacheError) -> Place {
        switch terms.subject {
        case .homeAccountID:
            let facts = try accountFacts(terms, freshness, knownPartition)
            guard facts.isEmpty, let nameless = try namelessAccount(terms, freshness) else { return .found(facts) }
            return .found(nameless)
        case .application:
            let partition = if let knownPartition { knownPartition } else { try applicationPartition(terms) }
            return .found(try facts(of: partition, freshness))
        case .username:
            let candidates = try candidates(for: terms, freshness)
            if candidates.count > 1 { return .unclear(.severalAccounts, candidates[0]) }
            if let only = candidates.first { return .found(only) }
            return .unclear(.accountUnknown, try facts(of: try usernamePartition(terms), freshness))
        }
    }

    /// The facts of the account without a home account id that the query's account is the username of, or what ADAL left
    /// of it.
    private func namelessAccount(
        _ terms: QueryTerms,
        _ freshness: Freshness
    ) throws(TokenCacheError) -> PartitionFacts? {
        let facts = try facts(of: try usernamePartition(terms), freshness)
        let isKnown = facts.hasAccount(username: facts.symbol(terms.span(terms.account))) || facts.hasLegacyTokens
        return isKnown ? facts : nil
    }
}

extension TokenAnswer {
    /// Whether the query is about this partition whatever else is stored.
    var hasSettledPlace: Bool {
        switch terms.subject {
        case .homeAccountID: !facts.homeAccountID.isNone
        case .username: false
        case .application: true
        }
    }
}

extension PartitionFacts {
    /// - Throws: `damaged` where the client's sign-in state cannot be read: it may have been signed out, and then not even
    ///   a good token must be handed out.
    func checkSignInState() throws(TokenCacheError) {
        if isSignInStateDamaged {
            throw TokenCacheError(.damaged, detail: "the sign-in state of the account cannot be read")
        }
    }
}
