// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// Evaluates a query against the facts of one partition.
extension QueryMatch {
    /// The result of the query.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - families: the client's families, once they have been looked up.
    /// - Returns: nil if the result depends on the families and they were not given.
    func matchResult(now: Int64, families: ClientFamilies?) -> MatchResult? {
        if isSignedOut { return MatchResult(outcome: .interaction(.signedOut)) }
        let token = findToken(now)
        if let token, !terms.ignoresStoredTokens { return token }
        guard var matchResult = refreshVerdict(families, now) else { return nil }
        if case .renew(let row, _) = matchResult.outcome, let token, !terms.asksForClaims,
            case .valid(let valid) = token.outcome
        {
            matchResult.outcome = .renew(row: row, stillValid: valid)
            matchResult.from = token.from
            matchResult.until = token.until
            matchResult.renewFrom = token.renewFrom
            matchResult.isExtended = token.isExtended
        } else if token == nil {
            (matchResult.from, matchResult.until) = timeWithoutToken(around: now)
        }
        if let end = nextRefreshTokenEnd(now) { matchResult.until = min(matchResult.until, end) }
        return matchResult
    }

    /// Whether the client signed out of the account.
    var isSignedOut: Bool {
        let rows = facts.rows
        for index in rows.indices where rows[index].flags.contains(.signedOut) {
            if rows[index].client == client { return true }
        }
        return false
    }

    // MARK: - Access tokens

    /// The token with the longest remaining lifetime among those that may be handed out now.
    private func findToken(_ now: Int64) -> MatchResult? {
        let rows = facts.rows
        var best: (index: Int, validity: ValidityInterval)?
        var extended: Int?
        for index in rows.indices where isWantedToken(rows[index]) {
            let validity = validity(of: rows[index])
            if validity.contains(now) {
                if let best, !rows[index].outlives(rows[best.index]) { continue }
                best = (index, validity)
            } else if terms.allowsExtendedLifetime, validity.isExtended(until: rows[index].extendedExpiresOn, now: now)
            {
                if let extended, !rows[index].outlivesExtended(rows[extended]) { continue }
                extended = index
            }
        }
        if let best {
            let refreshOn = rows[best.index].refreshOn
            return MatchResult(
                outcome: .valid(row: best.index),
                from: best.validity.from,
                until: best.validity.until,
                renewFrom: refreshOn == FactsRow.missing ? .max : refreshOn
            )
        }
        guard let extended else { return nil }
        return MatchResult(
            outcome: .valid(row: extended),
            from: now,
            until: rows[extended].extendedExpiresOn,
            renewFrom: .min,
            isExtended: true
        )
    }

    func validity(of row: FactsRow) -> ValidityInterval {
        ValidityInterval(row.times, margin: terms.margin)
    }

    /// The time around `now` in which no token is valid: from the end of the last one, because the clock may be set back, to
    /// the start of the next.
    private func timeWithoutToken(around now: Int64) -> (from: Int64, until: Int64) {
        var (from, until) = (Int64.min, Int64.max)
        guard !terms.ignoresStoredTokens else { return (from, until) }
        let rows = facts.rows
        for index in rows.indices where isWantedToken(rows[index]) {
            let validity = validity(of: rows[index])
            let extended = rows[index].extendedExpiresOn
            if terms.allowsExtendedLifetime, extended != FactsRow.missing, extended <= now {
                from = max(from, extended)
            }
            guard validity.from < validity.until else { continue }
            if validity.from > now { until = min(until, validity.from) } else { from = max(from, validity.until) }
        }
        return (from, until)
    }

    /// Why there is no access token to hand out, regardless of refresh tokens.
    private var lack: InteractionReason {
        let rows = facts.rows
        for index in rows.indices where rows[index].flags.contains(.lostToken) {
            if rows[index].client == client { return .refreshTokenLost }
        }
        // Sign-in states and tombstones alone do not make an account known.
        guard rows.indices.contains(where: { !rows[$0].kind.isInternalRecord }) else { return .accountUnknown }
        if terms.asksForClaims { return .claimsRequested }
        if terms.ignoresStoredTokens { return .refreshTokenMissing }
        // None of these is valid now; otherwise it would have been handed out.
        for index in rows.indices where isWantedToken(rows[index]) { return .tokensExpired }
        return .refreshTokenMissing
    }

    private func refreshVerdict(_ families: ClientFamilies?, _ now: Int64) -> MatchResult? {
        if terms.subject == .application { return MatchResult(outcome: .interaction(.applicationTokenMissing)) }
        if let own = newestRefreshToken(now, where: { $0.client == client }) {
            return MatchResult(outcome: .renew(row: own, stillValid: nil))
        }
        guard newestRefreshToken(now, where: { $0.isFamilyToken }) != nil else {
            return MatchResult(outcome: .interaction(lack))
        }
        guard let families else { return nil }
        let shared = newestRefreshToken(now) { isShared($0, families) }
        var matchResult = MatchResult(outcome: shared.map { .renew(row: $0, stillValid: nil) } ?? .interaction(lack))
        matchResult.dependsOnGroup = true
        return matchResult
    }
}

/// The result of evaluating a query against facts at one moment, and how long it stays valid.
struct MatchResult: Sendable {
    enum Outcome: Sendable {
        /// Hand out the access token of this row.
        case valid(row: Int)
        /// Redeem the refresh token of this row; the access token of the other row is still valid.
        case renew(row: Int, stillValid: Int?)
        case interaction(InteractionReason)
    }

    var outcome: Outcome
    /// While from ≤ now < until, the same facts give the same result. Seconds since 1970.
    var from = Int64.min
    var until = Int64.max
    /// The time from which the access token should be renewed, although it is valid.
    var renewFrom = Int64.max
    /// The access token has expired, but not its extended lifetime.
    var isExtended = false
    /// Whether the result depends on the group's app metadata.
    var dependsOnGroup = false
}
