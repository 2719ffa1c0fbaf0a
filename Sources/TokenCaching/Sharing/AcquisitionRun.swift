// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

/// One call for an app-only token. There is no refresh token to redeem, so the lease belongs to the query: of all
/// callers that want the same token, one asks the server.
final class AcquisitionRun: LeasedRun {
    private enum Finding {
        case settled(TokenResult)
        /// Ask the server. An ageing token, if there is one, can be used meanwhile.
        case ask(ageing: AccessToken?)
    }

    private struct Memory: Sendable {
        var lease: (any StoreLease)?
        /// The revision that was read before waiting. Nil to wait for one pause only.
        var waitsSince: UInt64?
        /// The newest transaction when the call began.
        var baseline: UInt64?
        /// Whether the closure was called.
        var hasAsked = false
        /// The refusals that were known when the call began.
        var knownRefusals: RefusalMoment?
        var lastResponse: TokenErrorResponse?
        /// The partition of the app-only tokens.
        var partition: PartitionTag?
    }

    let pool = BlockingPool.shared
    let deadline: Deadline
    let engine: Engine
    let terms: PreparedQuery
    /// The same query, without ignoring stored tokens.
    private let stored: StoredQuery
    private let asked: AskedRequest
    private let number: UInt64
    private let memory = Mutex(Memory())

    /// - Throws: `invalidRequest` for a query for an account, or without a host.
    init(_ engine: Engine, _ query: TokenQuery, deadline: Deadline) throws(StorageError) {
        try Self.check(query.terms)
        self.engine = engine
        terms = query.terms
        self.deadline = deadline
        stored = StoredQuery(query)
        asked = AskedRequest(
            token: AskedToken(terms, client: engine.foldedClient),
            server: TokenServer(asked: terms, engine.clouds)
        )
        number = try engine.leaseNumber(of: .request(asked))
    }

    static func check(_ terms: PreparedQuery) throws(StorageError) {
        guard terms.subject == .application else {
            throw StorageError(.invalidRequest, detail: "the query is not for an application token")
        }
        if let defect = terms.defect ?? terms.textDefect ?? (terms.environment == nil ? "no environment is given" : nil)
        {
            throw StorageError(.invalidRequest, detail: defect)
        }
    }

    var holdsLease: Bool { memory.withLock { $0.lease != nil } }

    var hasAsked: Bool { memory.withLock { $0.hasAsked } }

    var lastResponse: TokenErrorResponse? {
        get { memory.withLock { $0.lastResponse } }
        set { memory.withLock { $0.lastResponse = newValue } }
    }

    func advance() throws(StorageError) -> LeasedStep<Void> {
        let revision = engine.currentRevision()
        let ageing: AccessToken?
        do throws(StorageError) {
            switch try look() {
            case .settled(let result): return .finished(result)
            case .ask(let token): ageing = token
            }
        } catch {
            guard error.isStoreBusy else { throw error }
            memory.withLock { $0.waitsSince = nil }
            return try stepAfterReadFailure(error)
        }
        // We re-read the cache while holding the lease, so no other caller is asking.
        let mayAsk = memory.withLock { memory in
            if memory.lease != nil { memory.hasAsked = true }
            return memory.lease != nil
        }
        if mayAsk { return .redeem(()) }
        if try take() { return try advance() }
        // Another caller is asking, and an ageing token can be used meanwhile.
        if let result = validResult(ageing) { return .finished(result) }
        if deadline.hasPassed { throw StorageError(.renewalBusy) }
        memory.withLock { $0.waitsSince = revision }
        return .wait
    }

    func mayAdvance() throws(StorageError) -> Bool {
        guard let revision = memory.withLock({ $0.waitsSince }) else { return true }
        if engine.currentRevision() != revision || deadline.hasPassed { return true }
        return try take()
    }

    func settle(_ outcome: RenewalOutcome) throws(StorageError) -> TokenResult? {
        defer { end() }
        switch outcome.value {
        case .response(let kept, let scopes):
            let wanted = scopes.isEmpty ? terms.scopeTexts : scopes
            let request = TokenRequest(acquiring: terms, scopes: wanted, asked: asked)
            let outcome = try engine.savePatiently(kept, for: request, redeeming: nil)
            guard let written = outcome.written else { return nil }
            return try engine.decision(on: written, for: stored, passing: terms)
        case .refused(let response) where !response.isOfServerInTrouble:
            if let partition = memory.withLock({ $0.partition }) {
                engine.keepRefusal(of: .request(asked), .request, response, in: partition)
            }
            return refused(response, try knownToken())
        case .refused(let response):
            let until = engine.keepTrouble(response, of: asked.server)
            return try unavailable(response, until: until, try knownToken())
        case .unavailable(let response):
            let until = engine.keepTrouble(response, of: asked.server)
            return try unavailable(response, until: until, try knownToken())
        // An application's own tokens have no account.
        case .ofAnotherAccount: throw StorageError(.invalidResponse)
        }
    }

    /// The closure receives no token.
    func isGone(_ error: any Error) -> Bool { false }

    func validResult() throws(StorageError) -> TokenResult? {
        validResult(try knownToken())
    }

    func end() {
        memory.withLock { memory in
            memory.lease?.release()
            memory.lease = nil
        }
    }

    private func take() throws(StorageError) -> Bool {
        let lease = try engine.freeLease(number)
        guard let lease else { return false }
        memory.withLock { $0.lease = lease }
        return true
    }

    private func look() throws(StorageError) -> Finding {
        let answer = try engine.freshAnswer(to: stored, until: stepDeadline)
        let baseline = memory.withLock { memory in
            if memory.baseline == nil { memory.baseline = answer.facts.newestSequence }
            memory.partition = answer.facts.partition
            return memory.baseline ?? 0
        }
        let token = answer.validToken
        if let token {
            // A caller that requires a new token accepts one stored since the call began, unless it was obtained for
            // other claims.
            let isNew = token.sequence > baseline
            if isNew ? !terms.asksForClaims : !terms.ignoresStoredTokens && !token.shouldRenew {
                return .settled(.valid(token))
            }
        }
        if let known = try knownOutcome(answer, token) { return .settled(known) }
        return .ask(ageing: token)
    }

    /// The outcome according to the group's notes, which makes asking the server unnecessary.
    private func knownOutcome(
        _ answer: TokenAnswer,
        _ token: AccessToken?
    ) throws(StorageError) -> TokenResult? {
        let active = try engine.activeRefusals(in: answer.facts, until: stepDeadline)
        let known = memory.withLock { memory in
            if memory.knownRefusals == nil { memory.knownRefusals = active.moment }
            return memory.knownRefusals
        }
        if !terms.ignoresStoredTokens, let grant = try engine.declined(terms, in: answer.facts, active) {
            return .scopesDeclined(grant)
        }
        if let response = try engine.trouble(of: asked.server, until: stepDeadline) {
            return try unavailable(response, until: end(of: response), token)
        }
        let refusal = try engine.refusal(.request(asked), in: answer.facts.partition, active)
        // For a caller that requires a new token, only refusals since the call began count.
        guard let refusal, !terms.isForced || known?.knows(refusal) == false else { return nil }
        return refused(refusal.response, token)
    }

    private func refused(_ response: TokenErrorResponse, _ known: AccessToken?) -> TokenResult {
        validResult(known) ?? .interactionRequired(.applicationTokenMissing, saying: response)
    }

    private func knownToken() throws(StorageError) -> AccessToken? {
        try engine.knownToken(for: stored, until: stepDeadline)
    }
}

extension TokenServer {
    /// The server of a query without an account.
    fileprivate init(asked terms: PreparedQuery, _ clouds: CloudTable) {
        let environment = UTF8Text(terms.text(terms.environment) ?? "")
        host = clouds.preferredNetworkHost(for: environment).string
        tenant = terms.text(terms.tenant) ?? ""
    }
}

extension TokenAnswer {
    /// The valid token that the answer contains, if any.
    var validToken: AccessToken? {
        guard case .valid(let token) = decision(now: engine.clock.now().secondsSince1970) else { return nil }
        return token
    }
}
