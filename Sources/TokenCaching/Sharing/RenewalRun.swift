// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

/// One call to renew. The lease belongs to the refresh token that is about to be redeemed.
final class RenewalRun: LeasedRun {
    private enum Finding {
        case settled(TokenResult)
        case redeem(Redemption)
    }

    private struct Redemption: Sendable {
        let token: RefreshToken
        let secret: KnownSecret
        /// The lease that belongs to the secret.
        let lease: UInt64
    }

    private struct Memory: Sendable {
        var held: (number: UInt64, lease: any StoreLease)?
        var redemption: Redemption?
        /// The lease or change that it waits for. Nil to wait for one pause only.
        var waitsFor: (number: UInt64, revision: UInt64)?
        /// The lease that it last waited for.
        var awaited: UInt64?
        /// The newest transaction when the call began.
        var baseline: UInt64?
        /// How often the closure was called.
        var attempts = 0
        /// The refusals that were known when the call began.
        var knownRefusals: RefusalMoment?
        /// The server's last response.
        var refusal: TokenErrorResponse?
    }

    let pool: BlockingPool
    let deadline: Deadline
    let engine: Engine
    let terms: PreparedQuery
    /// The same query, ignoring stored access tokens: yields the refresh token.
    private let renewing: PreparedQuery
    /// The same query, ignoring no stored tokens: yields what was stored.
    private let stored: StoredQuery
    private let memory = Mutex(Memory())

    /// The maximum number of refresh tokens of one account that one call redeems.
    private static let attemptLimit = 8

    init(_ engine: Engine, _ query: TokenQuery, deadline: Deadline, pool: BlockingPool = .shared) {
        self.pool = pool
        self.engine = engine
        terms = query.terms
        renewing = PreparedQuery(query.terms, ignoresStoredTokens: true)
        stored = StoredQuery(query)
        self.deadline = deadline
    }

    var holdsLease: Bool { memory.withLock { $0.held != nil } }

    var hasAsked: Bool { memory.withLock { $0.attempts > 0 } }

    var lastResponse: TokenErrorResponse? {
        get { memory.withLock { $0.refusal } }
        set { memory.withLock { $0.refusal = newValue } }
    }

    func advance() throws(StorageError) -> LeasedStep<RefreshToken> {
        let revision = engine.currentRevision()
        let finding: Finding
        do throws(StorageError) {
            finding = try look()
        } catch {
            guard error.isStoreBusy || error.code == .tokenGone else { throw error }
            memory.withLock { $0.waitsFor = nil }
            return try stepAfterReadFailure(error)
        }
        switch finding {
        case .settled(let decision):
            return .finished(decision)
        case .redeem(let redemption):
            if memory.withLock({ $0.held?.number == redemption.lease }) {
                // We re-read the cache while holding the lease, so no other process can have redeemed this token.
                let (isLast, refusal) = memory.withLock { memory in
                    memory.redemption = redemption
                    memory.attempts += 1
                    return (memory.attempts > Self.attemptLimit, memory.refusal)
                }
                if !isLast { return .redeem(redemption.token) }
                return .finished(try validResult() ?? .interactionRequired(.renewalRefused, saying: refusal))
            }
            if try take(redemption.lease) { return try advance() }
            // Another caller is renewing, and an ageing token can be used meanwhile.
            if let result = try validResult() { return .finished(result) }
            if deadline.hasPassed { throw StorageError(.renewalBusy) }
            memory.withLock { memory in
                memory.waitsFor = (redemption.lease, revision)
                memory.awaited = redemption.lease
            }
            return .wait
        }
    }

    func mayAdvance() throws(StorageError) -> Bool {
        guard let wanted = memory.withLock({ $0.waitsFor }) else { return true }
        if engine.currentRevision() != wanted.revision || deadline.hasPassed { return true }
        return try take(wanted.number)
    }

    func settle(_ outcome: RenewalOutcome) throws(StorageError) -> TokenResult? {
        defer { end() }
        guard let redemption = memory.withLock({ $0.redemption }) else { return nil }
        switch outcome.value {
        case .response(let kept, let scopes):
            let wanted = scopes.isEmpty ? terms.scopeTexts : scopes
            let request = TokenRequest(renewing: redemption.token, scopes: wanted)
            let saved: ResponseWriter.Outcome
            do throws(StorageError) {
                saved = try engine.savePatiently(kept, for: request, redeeming: redemption.secret)
            } catch {
                if error.code == .signedOut {
                    let pending = try? engine.keepSuccessor(of: redemption.secret, in: kept.response)
                    kept.pendingRevocation.withLock { $0 = pending }
                }
                throw error
            }
            switch saved {
            case .saved(let written):
                return try engine.decision(on: written, for: stored, passing: terms)
            case .ofAnotherAccount: return mismatched(try knownToken())
            case .refused, .superseded: return nil
            }
        case .refused(let response):
            lastResponse = response
            switch try engine.refuse(redemption.token, response) {
            case .kept(mayTryFamily: false): return refused(response, try knownToken())
            case .changed(.signedOut): return .interactionRequired(.signedOut, saying: response)
            case .unavailable(let until): return try unavailable(response, until: until, try knownToken())
            case .kept, .blocked, .changed: return nil
            }
        case .unavailable(let response):
            let until = engine.keepTrouble(response, of: redemption.token)
            return try unavailable(response, until: until, try knownToken())
        case .ofAnotherAccount:
            try engine.block(redemption.token.stored)
            return mismatched(try knownToken())
        }
    }

    func isGone(_ error: any Error) -> Bool {
        guard let error = error as? TokenCacheError, error.code == .tokenGone else { return false }
        end()
        return true
    }

    func end() {
        memory.withLock { memory in
            memory.held?.lease.release()
            memory.held = nil
        }
    }

    // MARK: - Steps

    private func take(_ number: UInt64) throws(StorageError) -> Bool {
        end()
        let lease = try engine.freeLease(number)
        guard let lease else { return false }
        memory.withLock { $0.held = (number, lease) }
        return true
    }

    private func look() throws(StorageError) -> Finding {
        let valid = try engine.freshAnswer(to: stored, until: stepDeadline).validToken
        if let valid, !terms.ignoresStoredTokens, !valid.shouldRenew { return .settled(.valid(valid)) }
        let answer = try engine.freshAnswer(to: renewing, until: stepDeadline)
        let baseline = memory.withLock { memory in
            if memory.baseline == nil { memory.baseline = answer.facts.newestSequence }
            return memory.baseline ?? 0
        }
        switch answer.decision(now: engine.clock.now().secondsSince1970) {
        case .valid(let token):
            return .settled(.valid(token))
        case .renew(let token, let stillValid):
            // A caller that requires a new token accepts one stored since the call began, unless it was obtained for
            // other claims.
            if let stillValid, !terms.asksForClaims, stillValid.sequence > baseline {
                return .settled(.valid(stillValid))
            }
            switch try advice(on: Int(token.row), answer) {
            case .redeem(let row): return .redeem(try redemption(with: row, of: answer))
            case .declined(let grant): return .settled(.scopesDeclined(grant))
            case .refused(let response, _): return .settled(refused(response, valid))
            case .mismatch: return .settled(mismatched(valid))
            case .wait(let response): return .settled(try unavailable(response, until: end(of: response), valid))
            }
        case .interactionRequired(let reason):
            if let result = validResult(valid) { return .settled(result) }
            let reported = isLost(reason) ? InteractionReason.refreshTokenLost : reason
            return .settled(.interactionRequired(reported, saying: lastKnownResponse))
        }
    }

    private func redemption(with row: Int, of answer: TokenAnswer) throws(StorageError) -> Redemption {
        let secret = KnownSecret(try answer.facts.openToken(of: row))
        var token = RefreshToken(answer: answer, row: Int32(truncatingIfNeeded: row))
        token.isLeased = true
        return Redemption(token: token, secret: secret, lease: try engine.leaseNumber(of: secret))
    }

    /// The advice of the group's notes, which are read again under the lease before a server is asked.
    private func advice(on row: Int, _ answer: TokenAnswer) throws(StorageError) -> RedemptionAdvice {
        let active = try engine.activeRefusals(in: answer.facts, until: stepDeadline)
        let known = memory.withLock { memory in
            if memory.knownRefusals == nil { memory.knownRefusals = active.moment }
            return memory.knownRefusals
        }
        let decision = RedemptionDecision(
            engine: engine,
            answer: answer,
            stored: stored.terms,
            ignoresStoredTokens: terms.ignoresStoredTokens,
            // For a caller that requires a new token, only refusals since the call began count.
            passed: terms.isForced ? known : nil
        )
        return try decision.advice(on: row, active)
    }

    private func mismatched(_ known: AccessToken?) -> TokenResult {
        validResult(known) ?? .interactionRequired(.accountMismatch)
    }

    private func refused(_ response: TokenErrorResponse, _ known: AccessToken?) -> TokenResult {
        validResult(known) ?? .interactionRequired(.renewalRefused, saying: response)
    }

    /// Whether a refresh token was refused: it existed when the call began and is gone, although the client did not
    /// sign out.
    private func isLost(_ reason: InteractionReason) -> Bool {
        guard reason != .signedOut, reason != .accountUnknown, reason != .severalAccounts else { return false }
        return memory.withLock { $0.awaited != nil || $0.attempts > 0 }
    }

    /// The server's last response about the token that this call redeemed, or waited for while another thread of this
    /// process redeemed it.
    private var lastKnownResponse: TokenErrorResponse? {
        let (own, awaited) = memory.withLock { ($0.refusal, $0.awaited) }
        return own ?? awaited.flatMap { number in engine.lastResponses.withLock { $0[number] } }
    }

    func validResult() throws(StorageError) -> TokenResult? {
        validResult(try knownToken())
    }

    private func knownToken() throws(StorageError) -> AccessToken? {
        try engine.knownToken(for: stored, until: stepDeadline)
    }
}
