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
            return try findPlace(of: terms, freshness, knownPartition).place
        }
        let name = terms.span(terms.account)
        let hash = PartitionFacts.accountHash(name)
        let (account, known, isSame, moment) = state.withLock { state in
            let account = terms.subject == .homeAccountID ? state.facts(ofAccount: name, hash: hash) : nil
            let known = account == nil ? state.place(terms.subject, name, hash: hash) : nil
            let isSame = known.map { $0.moment == state.moment && state.isUnchanged($0) } ?? false
            return (account, known, isSame, state.moment)
        }
        if let account { return .found(account) }
        if let known {
            if isSame { return known.place }
            if try stands(known, at: moment, hash, freshness) { return known.place }
        }
        let found = try findPlace(of: terms, freshness)
        // What is an account's own is found by its id already.
        if case .found(let facts) = found.place, terms.subject == .homeAccountID, !facts.isEmpty { return found.place }
        let place = KnownPlace(
            subject: terms.subject,
            name: Array(String(copying: name).utf8),
            place: found.place,
            partitions: found.partitions,
            searchTag: found.searchTag,
            moment: moment
        )
        state.withLock { $0.keep(place, hash: hash) }
        return found.place
    }

    /// Whether a name still leads where it led: nothing changed in the partitions that it led to, and it leads to no others.
    private func stands(
        _ known: KnownPlace,
        at moment: UInt64,
        _ hash: UInt64,
        _ freshness: Freshness
    ) throws(TokenCacheError) -> Bool {
        if let tag = known.searchTag {
            guard try partitions(under: tag, freshness).allSatisfy(known.partitions.contains) else { return false }
        }
        return state.withLock { state in
            guard state.isUnchanged(known) else { return false }
            var known = known
            known.moment = moment
            state.keep(known, hash: hash)
            return true
        }
    }

    /// Where a name leads, and what was looked at to find out.
    private struct FoundPlace {
        let place: Place
        var partitions: [PartitionTag] = []
        var searchTag: SearchTag?
    }

    private func findPlace(
        of terms: QueryTerms,
        _ freshness: Freshness,
        _ knownPartition: PartitionTag? = nil
    ) throws(TokenCacheError) -> FoundPlace {
        switch terms.subject {
        case .homeAccountID:
            let facts = try accountFacts(terms, freshness, knownPartition)
            guard facts.isEmpty else { return FoundPlace(place: .found(facts)) }
            let items = try self.facts(of: try usernamePartition(terms), freshness)
            let isNameless = items.hasAccount(username: items.symbol(terms.span(terms.account)))
            let place = Place.found(isNameless || items.hasLegacyTokens ? items : facts)
            return FoundPlace(place: place, partitions: [facts.partition, items.partition])
        case .application:
            let partition = if let knownPartition { knownPartition } else { try applicationPartition(terms) }
            return FoundPlace(place: .found(try facts(of: partition, freshness)))
        case .username:
            let tag = try searchTag(ofUsername: terms)
            let own = try usernamePartition(terms)
            var partitions = try partitions(under: tag, freshness)
            if !partitions.contains(own) { partitions.append(own) }
            let candidates = try candidates(for: terms, in: partitions, own, freshness)
            let place: Place =
                if candidates.count > 1 {
                    .unclear(.severalAccounts, candidates[0])
                } else if let only = candidates.first {
                    .found(only)
                } else {
                    .unclear(.accountUnknown, try facts(of: own, freshness))
                }
            return FoundPlace(place: place, partitions: partitions, searchTag: tag)
        }
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
