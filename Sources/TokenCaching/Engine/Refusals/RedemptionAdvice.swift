// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// What to do if a lookup returns a refresh token to redeem: the notes of the group are checked first.
enum RedemptionAdvice {
    /// Redeem the refresh token of this row.
    case redeem(row: Int)
    /// The user or an administrator declined some of the scopes, and there is a token with the others.
    case declined(PartialGrant)
    /// The request was already refused. The note ends at this time, in seconds since 1970, or with the refresh token.
    case refused(TokenErrorResponse, until: Int64?)
    /// The refresh token belongs to another account, according to the server's response.
    case mismatch
    /// The server asked for time.
    case wait(TokenErrorResponse)
}

/// Decides whether to ask a server, and with which refresh token.
struct RedemptionDecision {
    let engine: Engine
    /// The lookup's answer, with the refresh token to redeem.
    let answer: TokenAnswer
    /// The query, without ignoring stored tokens.
    let stored: PreparedQuery
    /// Whether the query ignores stored tokens.
    let ignoresStoredTokens: Bool
    /// Refusals that were known at this moment are ignored, because the caller wants to try again.
    let passed: RefusalMoment?

    func advice(on row: Int, _ active: ActiveRefusals) throws(StorageError) -> RedemptionAdvice {
        let token = RefreshToken(answer: answer, row: Int32(truncatingIfNeeded: row))
        let asked = token.asked
        // First check what needs no server: a server's problem must not hide it.
        if !ignoresStoredTokens, let grant = try engine.declined(stored, in: answer.facts, active) {
            return .declined(grant)
        }
        if active.byTag.isEmpty { return .redeem(row: row) }
        if let response = try engine.trouble(.trouble(asked), in: answer.facts.partition, active) {
            return .wait(response)
        }
        var found: ActiveRefusal?
        var ofRequests: [ActiveRefusal] = []
        for candidate in try engine.refreshTokens(beside: token) {
            guard let known = try answer.facts.openTokenIfReadable(of: candidate) else { continue }
            let number = try engine.leaseNumber(of: known)
            if let block = try refusal(.token(number, client: engine.foldedClient), active) {
                if block.note.kind == .mismatch { return .mismatch }
                found = block
            } else if let refused = try refusal(.request(asked, with: number), active) {
                ofRequests.append(refused)
                found = refused
            } else {
                let row = answer.facts.row(candidate)
                let isOwn = engine.isOwn(candidate, of: answer)
                if !ofRequests.contains(where: { $0.holds(for: row, isOwn: isOwn) }) { return .redeem(row: candidate) }
            }
        }
        guard let found else { return .redeem(row: row) }
        return .refused(found.response, until: found.note.hasEnd ? found.note.period.until : nil)
    }

    /// The note about a subject, unless it is ignored.
    private func refusal(
        _ key: RefusalKey,
        _ active: ActiveRefusals
    ) throws(StorageError) -> ActiveRefusal? {
        guard let found = try engine.refusal(key, in: answer.facts.partition, active) else { return nil }
        if let passed, found.note.kind?.isOfToken == false, passed.knows(found) { return nil }
        return found
    }
}

extension Engine {
    /// The refresh tokens of a query that the same server may accept instead of this one, in order. Another server's
    /// tokens are left out, because a refusal says nothing about that server's answer.
    func refreshTokens(beside token: RefreshToken, until deadline: Deadline? = nil) throws(StorageError) -> [Int] {
        let answer = token.answer
        if token.facts.kind.isLegacy { return [Int(token.row)] }
        let server = token.server
        return try refreshTokens(of: answer, until: deadline).filter { row in
            RefreshToken(answer: answer, row: Int32(truncatingIfNeeded: row)).server == server
        }
    }

    /// Whether a refresh token is the client's own, not one that its family shares.
    func isOwn(_ row: Int, of answer: TokenAnswer) -> Bool {
        let facts = answer.facts
        return facts.row(row).client == facts.symbol(clientBytes)
    }

    /// The granted part, if a note says that some scopes were declined; nil if that is no longer valid.
    func declined(
        _ terms: PreparedQuery,
        in facts: PartitionFacts,
        _ active: ActiveRefusals
    ) throws(StorageError) -> PartialGrant? {
        if active.byTag.isEmpty { return nil }
        let now = clock.now().secondsSince1970
        let match = QueryMatch(terms, facts, client: clientBytes)
        let asked = AskedToken(terms, client: foldedClient)
        var best: Int?
        for index in 0..<facts.rows.count {
            let row = facts.row(index)
            guard match.isTokenOfQuery(row), match.validity(of: row).contains(now) else { continue }
            if let best, facts.row(best).expiresOn >= row.expiresOn { continue }
            let key = RefusalKey.scopes(asked, by: facts.issuer(of: row))
            guard let granted = try refusal(key, in: facts.partition, active)?.note.granted else { continue }
            // Any token with the granted scopes will do: the original token is replaced when further scopes are
            // granted.
            if granted.isSubset(of: ScopeSet(UTF8Text(facts.string(row.scopes) ?? ""))) { best = index }
        }
        guard let best else { return nil }
        let grant = PartialGrant(accessToken: accessToken(best, of: facts, for: terms, now: now))
        return grant.declinedScopes.isEmpty ? nil : grant
    }

    /// Records that some scopes were declined, so that they are not requested again before the token expires.
    func keep(_ grant: PartialGrant, for terms: PreparedQuery) {
        let token = grant.accessToken
        let facts = token.answer.facts
        let row = facts.row(Int(token.row))
        let period = RefusalPeriod(madeOn: clock.now().secondsSince1970, until: row.expiresOn)
        let declined = grant.declinedScopes
        let wanted = terms.scopeTexts.filter { !declined.contains($0) }
        // If none of the requested scopes was granted, all scopes of the token identify it.
        let note = RefusalNote(
            declining: foldedClient,
            period: period,
            granted: ScopeSet(wanted.isEmpty ? token.scopes : wanted)
        )
        let asked = AskedToken(terms, client: foldedClient)
        keep(note, about: .scopes(asked, by: facts.issuer(of: row)), in: facts.partition)
    }
}
