// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

extension Engine {
    /// The stored tokens that are nearest to a query. Not for the hot path: it compares each entry of the account with
    /// every condition.
    func diagnosis(of query: TokenQuery) throws(StorageError) -> TokenDiagnosis {
        let deadline = newDeadline()
        let now = clock.now().secondsSince1970
        let answer = try answer(to: query.terms, until: deadline)
        if case .interaction(.severalAccounts) = answer.matchResult.outcome {
            let accounts = try severalAccounts(of: query.terms, until: deadline)
            return TokenDiagnosis(nearestToken: nil, refreshToken: nil, accounts: accounts)
        }
        let match = QueryMatch(query.terms, answer.facts, client: clientBytes)
        return TokenDiagnosis(
            nearestToken: match.nearestToken(to: answer, now: now),
            refreshToken: try refreshToken(for: answer, match, now: now, until: deadline),
            accounts: []
        )
    }

    private func refreshToken(
        for answer: TokenAnswer,
        _ match: QueryMatch,
        now: Int64,
        until deadline: Deadline
    ) throws(StorageError) -> TokenDiagnosis.StoredRefreshToken? {
        guard case .renew(let row, _) = answer.matchResult.outcome else {
            guard let row = match.nearestRefreshToken(now: now) else { return nil }
            let shortfalls = match.shortfalls(ofRefreshToken: answer.facts.row(row), now: now)
            return answer.facts.storedRefreshToken(row, shortfalls: shortfalls)
        }
        let active = try activeRefusals(in: answer.facts, until: deadline)
        let decision = RedemptionDecision(
            engine: self,
            answer: answer,
            stored: PreparedQuery(answer.terms, ignoresStoredTokens: false),
            ignoresStoredTokens: answer.terms.ignoresStoredTokens,
            passed: nil
        )
        var refusal: TokenDiagnosis.Refusal?
        var declined: [String] = []
        switch try decision.advice(on: row, active) {
        case .redeem: break
        case .declined(let grant): declined = grant.declinedScopes
        case .refused(let response, let until): refusal = TokenDiagnosis.Refusal(response, until: until)
        case .mismatch: refusal = TokenDiagnosis.Refusal(nil, until: nil)
        case .wait(let response):
            let seconds = response.retryAfter?.secondsRoundedUp ?? 0
            refusal = TokenDiagnosis.Refusal(response, until: now + seconds, isServerBusy: true)
        }
        return answer.facts.storedRefreshToken(row, shortfalls: [], refusal: refusal, declinedScopes: declined)
    }
}

extension TokenDiagnosis.Refusal {
    fileprivate init(_ response: TokenErrorResponse?, until: Int64?, isServerBusy: Bool = false) {
        error = response?.error
        suberror = response?.suberror
        self.until = until.map { Timestamp(secondsSince1970: $0) }
        self.isServerBusy = isServerBusy
    }
}

extension QueryMatch {
    /// The access token at the least distance; if there are several, the one that is valid longest. Nil if the answer
    /// is a token.
    fileprivate func nearestToken(to answer: TokenAnswer, now: Int64) -> TokenDiagnosis.NearestToken? {
        if case .valid = answer.matchResult.outcome { return nil }
        let rows = facts.rows
        var nearest: (row: FactsRow, shortfalls: [TokenShortfall])?
        for index in rows.indices where rows[index].flags.contains(.accessToken) {
            let shortfalls = shortfalls(of: rows[index], now: now)
            if let nearest {
                let (own, other) = (shortfalls.distance, nearest.shortfalls.distance)
                guard own < other || own == other && rows[index].outlives(nearest.row) else { continue }
            }
            nearest = (rows[index], shortfalls)
        }
        return nearest.map { facts.nearestToken($0.row, $0.shortfalls) }
    }

    /// The refresh token at the least distance; if there are several, the newest.
    fileprivate func nearestRefreshToken(now: Int64) -> Int? {
        let rows = facts.rows
        var nearest: (index: Int, distance: Int)?
        for index in rows.indices where rows[index].kind.isPlainRefreshToken {
            let distance = shortfalls(ofRefreshToken: rows[index], now: now).distance
            if let nearest {
                let isChosen = rows[index].precedes(rows[nearest.index])
                guard distance < nearest.distance || distance == nearest.distance && isChosen else { continue }
            }
            nearest = (index, distance)
        }
        return nearest?.index
    }
}

extension PartitionFacts {
    fileprivate func nearestToken(_ row: FactsRow, _ shortfalls: [TokenShortfall]) -> TokenDiagnosis.NearestToken {
        TokenDiagnosis.NearestToken(
            clientID: string(row.client) ?? "",
            tenant: string(row.realm),
            environment: string(row.environment) ?? "",
            scopes: scopes(of: row),
            tokenType: string(row.tokenType) ?? "bearer",
            cachedAt: FactsRow.time(row.cachedAt).map(Timestamp.init(secondsSince1970:)),
            expiresOn: FactsRow.time(row.expiresOn).map(Timestamp.init(secondsSince1970:)),
            shortfalls: shortfalls
        )
    }

    fileprivate func storedRefreshToken(
        _ index: Int,
        shortfalls: [TokenShortfall],
        refusal: TokenDiagnosis.Refusal? = nil,
        declinedScopes: [String] = []
    ) -> TokenDiagnosis.StoredRefreshToken {
        let row = row(index)
        return TokenDiagnosis.StoredRefreshToken(
            clientID: string(row.client) ?? "",
            familyID: string(row.family),
            environment: string(row.environment) ?? "",
            cachedAt: (row.times.cachedAt ?? row.times.lastModifiedMicroseconds.map { $0 / 1_000_000 })
                .map(Timestamp.init(secondsSince1970:)),
            expiresOn: row.times.refreshTokenEnd.map(Timestamp.init(secondsSince1970:)),
            shortfalls: shortfalls,
            refusal: refusal,
            declinedScopes: declinedScopes
        )
    }
}

extension [TokenShortfall] {
    fileprivate var distance: Int { reduce(0) { $0 + $1.distance } }
}
