// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

extension Engine {
    /// Answers a query whose last answer is no longer valid.
    @inline(never)
    func lookUp(_ query: TokenQuery, _ now: ClockReading) throws(StorageError) -> TokenDecision {
        if let defect = query.terms.defect { throw StorageError(.invalidRequest, detail: defect) }
        let freshness = try freshen(now, until: newDeadline())
        let last = query.answers.load()
        if let last, last.isOf(address: address, now: now.seconds), isUnchanged(last, freshness) {
            return try decision(last, freshness: freshness, now: now)
        }
        let known = last.flatMap { last in
            last.engine === self && last.hasSettledLocation && !last.dependsOnLegacyItems ? last.facts.partition : nil
        }
        let answer = try answer(to: query.terms, freshness, now, knownPartition: known)
        if freshness.currentRevision != nil { query.answers.store(answer) }
        return try decision(answer, freshness: freshness, now: now)
    }

    /// Answers a query from the current state, regardless of earlier answers.
    func answer(to terms: PreparedQuery, until deadline: Deadline) throws(StorageError) -> TokenAnswer {
        let now = ClockReading.now(clock)
        return try answer(to: terms, try freshen(now, until: deadline), now, knownPartition: nil)
    }

    /// The valid token for a query for an account whose facts are cached, so that the caller needs no thread that may
    /// block. Never waits.
    ///
    /// - Returns: nil if this would have to read anything, and for every other answer.
    @inline(never)
    func cachedDecision(for query: TokenQuery) -> TokenDecision? {
        let terms = query.terms
        guard terms.defect == nil, terms.subject == .homeAccountID, (try? checkProcess()) != nil else { return nil }
        let now = ClockReading.now(clock)
        guard case .current(let revision)? = try? knownGrade(now) else { return nil }
        let name = terms.span(terms.account)
        let hash = PartitionFacts.accountHash(name)
        guard let facts = state.withLock({ $0.facts(ofAccount: name, hash: hash) }),
            !facts.mayShareSubject, !facts.isSignInStateDamaged, facts.clouds === cloudKnowledge,
            !dependsOnStoredClouds(terms, facts),
            let match = QueryMatch(terms, facts, client: clientBytes).matchResult(now: now.seconds, families: nil),
            case .valid = match.outcome
        else { return nil }
        let answer = TokenAnswer(match, at: revision, engine: self, terms: terms, facts: facts, group: nil)
        query.answers.store(answer)
        return answer.decision(now: now.seconds)
    }

    private func decision(
        _ answer: TokenAnswer,
        freshness: Freshness,
        now: ClockReading
    ) throws(StorageError) -> TokenDecision {
        guard let staleness = freshness.staleness else { return answer.decision(now: now.seconds) }
        // An outdated state may provide a valid token, but is no reason to report that there is none.
        guard case .valid = answer.matchResult.outcome else { throw staleness.error }
        return answer.decision(now: now.seconds, staleness: staleness.reason)
    }

    /// Whether everything that an answer depends on is unchanged. If so, the answer is valid at the newest revision.
    private func isUnchanged(_ answer: TokenAnswer, _ freshness: Freshness) -> Bool {
        // The username may have passed to another account, or an id that was not found before may exist now.
        guard answer.hasSettledLocation, !answer.dependsOnLegacyItems else { return false }
        guard freshness.isSettled else { return false }
        let isSame = state.withLock { state in
            guard state.facts(of: answer.facts.partition) === answer.facts else { return false }
            return answer.group.map { state.facts(of: groupPartition) === $0 } ?? true
        }
        // A state that is not the newest may lack changes of this process.
        if isSame, let revision = freshness.currentRevision { answer.confirm(at: revision) }
        return isSame
    }

    func answer(
        to terms: PreparedQuery,
        _ freshness: Freshness,
        _ now: ClockReading,
        knownPartition: PartitionTag?
    ) throws(StorageError) -> TokenAnswer {
        if let defect = terms.defect { throw StorageError(.invalidRequest, detail: defect) }
        let found: TokenAnswer
        switch try resolution(of: terms, freshness, knownPartition) {
        case .found(let facts): found = try decide(terms, facts: facts, freshness: freshness, now: now)
        case .unclear(let reason, let facts): found = answer(reason, terms: terms, facts: facts, freshness: freshness)
        case .several(let accounts):
            found = answer(.severalAccounts, terms: terms, facts: accounts[0], freshness: freshness)
        }
        if case .valid = found.matchResult.outcome { return found }
        if let defect = terms.textDefect { throw StorageError(.invalidRequest, detail: defect) }
        return found
    }

    /// Whether clouds that the group has stored may change the answer.
    private func dependsOnStoredClouds(_ terms: PreparedQuery, _ facts: PartitionFacts) -> Bool {
        facts.mayLearnClouds || terms.namesUnknownHost(facts.clouds)
    }

    private func decide(
        _ terms: PreparedQuery,
        facts: PartitionFacts,
        freshness: Freshness,
        now: ClockReading
    ) throws(StorageError) -> TokenAnswer {
        try facts.checkSignInState()
        var group: PartitionFacts?
        let mayLearn = dependsOnStoredClouds(terms, facts)
        if mayLearn {
            let read = try self.facts(of: groupPartition, freshness)
            try addStoredClouds(read, freshness)
            if facts.clouds !== cloudKnowledge {
                // The facts were read with the clouds that were known before.
                return try decide(
                    terms,
                    facts: try self.facts(of: facts.partition, freshness),
                    freshness: freshness,
                    now: now
                )
            }
            group = read
        }
        let match = QueryMatch(terms, facts, client: clientBytes)
        let matchResult: MatchResult
        if let known = match.matchResult(now: now.seconds, families: nil) {
            matchResult = known
        } else {
            let read = if let group { group } else { try self.facts(of: groupPartition, freshness) }
            group = read
            let families = ClientFamilies(group: read, client: clientBytes)
            matchResult =
                match.matchResult(now: now.seconds, families: families)
                ?? MatchResult(outcome: .interaction(.refreshTokenMissing))
        }
        if case .interaction(let reason) = matchResult.outcome, reason != .signedOut,
            facts.damagedCount + (group?.damagedCount ?? 0) > 0
        {
            // An unreadable record must not count as missing.
            throw StorageError(.damaged, detail: "\(facts.damagedCount) entries of the account cannot be read")
        }
        if case .interaction(let reason) = matchResult.outcome,
            let legacy = try legacyAnswer(insteadOf: reason, terms: terms, facts: facts, freshness: freshness)
        {
            return legacy
        }
        return TokenAnswer(
            matchResult,
            at: freshness.revision,
            engine: self,
            terms: terms,
            facts: facts,
            group: matchResult.dependsOnGroup || mayLearn ? group : nil
        )
    }

    private func answer(
        _ reason: InteractionReason,
        terms: PreparedQuery,
        facts: PartitionFacts,
        freshness: Freshness
    ) -> TokenAnswer {
        TokenAnswer(
            MatchResult(outcome: .interaction(reason)),
            at: freshness.revision,
            engine: self,
            terms: terms,
            facts: facts,
            group: nil
        )
    }
}

extension Freshness {
    /// The revision at which an answer is valid; any number for an answer that is not cached.
    var revision: UInt64 { currentRevision ?? 0 }
}
