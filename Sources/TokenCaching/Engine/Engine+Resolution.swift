// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization

extension Engine {
    /// The facts that answer a query, or the reason that there are none.
    enum Resolution: Sendable {
        case found(PartitionFacts)
        /// The facts are what was read.
        case unclear(InteractionReason, PartitionFacts)
        /// The accounts with a username, at least two: the rest of the query decides between them.
        case several([PartitionFacts])
    }

    /// Finds the facts that a query refers to.
    ///
    /// An id refers to the account's partition. If it names no issuer, it may also be the subject of accounts at issuers. If
    /// there is none of these, it may be the id of an account without a home account id, which is found by its username; but
    /// where an account with an id has that username, it is a part of that one. Of several accounts with a username or a
    /// subject, it is the one that the rest of the query selects.
    func resolution(
        of terms: PreparedQuery,
        _ freshness: Freshness,
        _ knownPartition: PartitionTag?
    ) throws(StorageError) -> Resolution {
        let resolution = try nameResolution(of: terms, freshness, knownPartition)
        guard case .several(let accounts) = resolution else { return resolution }
        let group = try facts(of: groupPartition, freshness)
        let families = ClientFamilies(group: group, client: clientBytes)
        let selected = selected(from: accounts, by: terms, families)
        return selected.count == 1 ? .found(selected[0]) : .unclear(.severalAccounts, selected[0])
    }

    /// The accounts with the username of a query, between which the query does not decide.
    func severalAccounts(of terms: PreparedQuery, until deadline: Deadline) throws(StorageError) -> [Account] {
        let now = ClockReading.now(clock)
        let freshness = try freshen(now, until: deadline)
        guard case .several(let accounts) = try nameResolution(of: terms, freshness, nil) else { return [] }
        let group = try facts(of: groupPartition, freshness)
        let families = ClientFamilies(group: group, client: clientBytes)
        let selected = Set(selected(from: accounts, by: terms, families).map(\.partition))
        if selected.count == 1 { return [] }
        let listed = try listed(in: selected, freshness)
        return merged(listed, includesSignedOut: true, families: families, now: now).sorted { $0.precedes($1) }
    }

    /// The resolution of the name alone.
    private func nameResolution(
        of terms: PreparedQuery,
        _ freshness: Freshness,
        _ knownPartition: PartitionTag?
    ) throws(StorageError) -> Resolution {
        guard terms.subject != .application, knownPartition == nil, freshness.isSettled else {
            return try resolve(of: terms, freshness, knownPartition).resolution
        }
        let name = terms.span(terms.account)
        let hash = PartitionFacts.accountHash(name)
        let (account, known, isSame, moment) = state.withLock { state in
            let account = terms.subject == .homeAccountID ? state.facts(ofAccount: name, hash: hash) : nil
            let known = account?.mayShareSubject ?? true ? state.resolution(terms.subject, name, hash: hash) : nil
            let isSame = known.map { $0.moment == state.moment && state.isUnchanged($0) } ?? false
            return (account, known, isSame, state.moment)
        }
        if let account, !account.mayShareSubject { return .found(account) }
        if let known {
            if isSame { return known.resolution }
            if try isValid(known, at: moment, hash: hash, freshness: freshness) { return known.resolution }
        }
        let found = try resolve(of: terms, freshness)
        // An account's own entries are found by its id, so the resolution need not be cached.
        if case .found(let facts) = found.resolution, terms.subject == .homeAccountID, !facts.isEmpty,
            !facts.mayShareSubject
        {
            return found.resolution
        }
        let resolution = CachedResolution(
            subject: terms.subject,
            name: Array(String(copying: name).utf8),
            resolution: found.resolution,
            partitions: found.partitions,
            searchTag: found.searchTag,
            moment: moment
        )
        state.withLock { $0.keep(resolution, hash: hash) }
        return found.resolution
    }

    /// Whether a name still has the same resolution: its partitions are unchanged, and there are no others.
    private func isValid(
        _ known: CachedResolution,
        at moment: UInt64,
        hash: UInt64,
        freshness: Freshness
    ) throws(StorageError) -> Bool {
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

    /// The resolution of a name, with the partitions that were read for it.
    private struct FoundResolution {
        let resolution: Resolution
        var partitions: [PartitionTag] = []
        var searchTag: SearchTag?
    }

    private func resolve(
        of terms: PreparedQuery,
        _ freshness: Freshness,
        _ knownPartition: PartitionTag? = nil
    ) throws(StorageError) -> FoundResolution {
        switch terms.subject {
        case .homeAccountID:
            let facts = try accountFacts(terms, freshness: freshness, knownPartition: knownPartition)
            // A sign-out leaves records that belong to no account.
            let isOfAccount = !facts.homeAccountID.isNone || facts.damagedCount > 0
            guard facts.isEmpty || facts.mayShareSubject || !isOfAccount && terms.mayNameSubject else {
                return FoundResolution(resolution: .found(facts))
            }
            let tag = try searchTag(ofUsername: terms)
            let found = try partitions(under: tag, freshness)
            if terms.mayNameSubject {
                let subjects = try accounts(ofSubject: terms, in: found, freshness)
                let accounts = isOfAccount ? [facts] + subjects : subjects
                if let first = accounts.first {
                    return FoundResolution(
                        resolution: accounts.count > 1 ? .several(accounts) : .found(first),
                        partitions: [facts.partition] + found,
                        searchTag: tag
                    )
                }
            }
            guard facts.isEmpty else {
                return FoundResolution(resolution: .found(facts), partitions: [facts.partition] + found, searchTag: tag)
            }
            let items = try self.facts(of: try usernamePartition(terms), freshness)
            guard items.hasAccount(username: terms.span(terms.account)) || items.hasLegacyTokens else {
                return FoundResolution(
                    resolution: .found(facts),
                    partitions: [facts.partition, items.partition] + found,
                    searchTag: tag
                )
            }
            // Beside an account with an id, they are a part of that one and have no id of their own.
            let others = found.filter { $0 != items.partition }
            let named = try candidates(for: terms, in: others, items.partition, freshness)
            return FoundResolution(
                resolution: .found(named.contains { !$0.homeAccountID.isNone } ? facts : items),
                partitions: [facts.partition, items.partition] + others,
                searchTag: tag
            )
        case .application:
            let partition = if let knownPartition { knownPartition } else { try applicationPartition(terms) }
            let facts = try facts(of: partition, freshness)
            return FoundResolution(resolution: .found(try withoutTokensOfPeople(facts, freshness)))
        case .username:
            let tag = try searchTag(ofUsername: terms)
            let own = try usernamePartition(terms)
            var partitions = try partitions(under: tag, freshness)
            if !partitions.contains(own) { partitions.append(own) }
            let candidates = try candidates(for: terms, in: partitions, own, freshness)
            let resolution: Resolution =
                if candidates.count > 1 {
                    .several(candidates)
                } else if let only = candidates.first {
                    .found(only)
                } else {
                    .unclear(.accountUnknown, try facts(of: own, freshness))
                }
            return FoundResolution(resolution: resolution, partitions: partitions, searchTag: tag)
        }
    }
}

extension TokenAnswer {
    /// Whether the query refers to this partition whatever else is stored.
    var hasSettledLocation: Bool {
        switch terms.subject {
        case .homeAccountID: facts.isOfAccount(namedBy: terms) && !facts.mayShareSubject
        case .username: false
        // A person's entries that appear elsewhere would make an unmarked token a person's.
        case .application: !facts.hasUnmarkedTokens
        }
    }
}

extension PartitionFacts {
    /// - Throws: `damaged` if the client's sign-in state cannot be read: the client may have signed out, and then must
    ///   not get even a valid token.
    func checkSignInState() throws(StorageError) {
        if isSignInStateDamaged {
            throw StorageError(.damaged, detail: "the sign-in state of the account cannot be read")
        }
    }
}
