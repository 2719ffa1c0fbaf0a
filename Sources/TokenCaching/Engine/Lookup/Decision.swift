internal import RecordStorage
internal import UnifiedSchema

/// Decides what a query gets out of the facts of one partition.
struct Decision {
    let match: QueryMatch
    let now: Int64
    /// The app metadata of the group: read only where families matter.
    let group: () throws(TokenCacheError) -> PartitionFacts

    private var facts: PartitionFacts { match.facts }
    private var terms: QueryTerms { match.terms }

    func verdict() throws(TokenCacheError) -> Verdict {
        if isSignedOut { return Verdict(outcome: .interaction(.signedOut)) }
        let token = findToken()
        if let token, !terms.passesStoredTokens { return token }
        // Nothing is good now; a token from the future may become so.
        var verdict = try refreshVerdict()
        if case .renew(let row, _) = verdict.outcome, let token, !terms.asksForClaims,
            case .valid(let valid) = token.outcome
        {
            verdict.outcome = .renew(row: row, stillValid: valid)
            verdict.from = token.from
            verdict.until = token.until
            verdict.renewFrom = token.renewFrom
            verdict.isExtended = token.isExtended
        } else if token == nil, let change = nextWindowStart() {
            verdict.until = change
        }
        return verdict
    }

    private var isSignedOut: Bool {
        facts.rows.contains { $0.marks.contains(.signedOut) && $0.client == match.client }
    }

    // MARK: - Access tokens

    /// The one that lives longest of those that may be handed out now.
    private func findToken() -> Verdict? {
        var best: (index: Int, window: TokenWindow)?
        var extended: Int?
        for (index, row) in facts.rows.enumerated() where match.isWantedToken(row) {
            let window = TokenWindow(row, buffer: terms.expiryBuffer)
            if window.contains(now) {
                if best.map({ facts.rows[$0.index].expiresOn < row.expiresOn }) ?? true { best = (index, window) }
            } else if terms.serverIsUnavailable, window.from <= now, row.extendedExpiresOn > now {
                if extended.map({ facts.rows[$0].extendedExpiresOn < row.extendedExpiresOn }) ?? true {
                    extended = index
                }
            }
        }
        if let best {
            let refreshOn = facts.rows[best.index].refreshOn
            return Verdict(
                outcome: .valid(row: best.index),
                from: best.window.from,
                until: best.window.until,
                renewFrom: refreshOn == FactsRow.missing ? .max : refreshOn
            )
        }
        guard let extended else { return nil }
        let until = facts.rows[extended].extendedExpiresOn
        return Verdict(
            outcome: .valid(row: extended),
            from: now,
            until: until,
            renewFrom: .min,
            isExtended: true
        )
    }

    /// When the next token that is not good yet becomes so.
    private func nextWindowStart() -> Int64? {
        guard !terms.passesStoredTokens else { return nil }
        var next: Int64?
        for row in facts.rows where match.isWantedToken(row) {
            let window = TokenWindow(row, buffer: terms.expiryBuffer)
            if window.from > now, window.from < window.until { next = min(next ?? .max, window.from) }
        }
        return next
    }

    // MARK: - Refresh tokens

    private func refreshVerdict() throws(TokenCacheError) -> Verdict {
        if terms.subject == .application { return interaction(.applicationTokenMissing) }
        if let own = newestRefreshToken(where: { $0.client == match.client }) {
            return Verdict(outcome: .renew(row: own, stillValid: nil))
        }
        guard facts.rows.contains(where: { isFamilyToken($0) && match.isUsableRefreshToken($0) }) else {
            return interaction(facts.rows.isEmpty ? .accountUnknown : .refreshTokenMissing)
        }
        let families = ClientFamilies(group: try group(), client: match.clientText)
        let shared = newestRefreshToken { row in
            isFamilyToken(row) && families.isMember(of: facts.span(row.family), cloud: facts.span(row.cloud))
        }
        var verdict =
            if let shared {
                Verdict(outcome: .renew(row: shared, stillValid: nil))
            } else {
                interaction(.refreshTokenMissing)
            }
        verdict.dependsOnGroup = true
        return verdict
    }

    private func isFamilyToken(_ row: FactsRow) -> Bool {
        row.kind.rawValue == EntryKind.familyRefreshToken.rawValue || !row.family.isNone
    }

    /// By the time it was cached, else changed, else by the order of commits.
    private func newestRefreshToken(where isWanted: (FactsRow) -> Bool) -> Int? {
        var newest: Int?
        for (index, row) in facts.rows.enumerated() where match.isUsableRefreshToken(row) && isWanted(row) {
            guard let known = newest.map({ facts.rows[$0] }) else {
                newest = index
                continue
            }
            if (row.age, row.sequence) > (known.age, known.sequence) { newest = index }
        }
        return newest
    }

    private func interaction(_ reason: InteractionReason) -> Verdict {
        Verdict(outcome: .interaction(reason))
    }
}

extension FactsRow {
    /// What tells newer from older: higher is newer.
    var age: Int64 { cachedAt != FactsRow.missing ? cachedAt : lastModified }
}
