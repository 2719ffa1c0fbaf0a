internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

/// One call for a token of the application itself. There is no refresh token to spend, so the lease is that of the query:
/// of all who want the same token one asks the server.
final class AcquisitionRun: LeasedRun {
    private struct Memory: Sendable {
        var lease: (any StoreLease)?
        /// The revision that was looked at before it began to wait. Nil: only time is waited for.
        var waitsSince: UInt64?
        /// The newest transaction that was known when the call began.
        var baseline: UInt64?
        /// Whether the closure was called.
        var hasAsked = false
        /// What was known of refusals when the call began.
        var knownRefusals: RefusalMoment?
        /// Where the application's tokens are stored.
        var partition: PartitionTag?
    }

    let pool = BlockingPool.shared
    let deadline: Deadline
    private let engine: Engine
    private let terms: QueryTerms
    /// The same, but passing over nothing.
    private let stored: StoredQuery
    private let asked: AskedRequest
    private let number: UInt64
    private let memory = Mutex(Memory())

    /// - Throws: `invalidRequest` for a query that is of an account, or does not say who is asked.
    init(_ engine: Engine, _ query: TokenQuery, deadline: Deadline) throws(TokenCacheError) {
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

    static func check(_ terms: QueryTerms) throws(TokenCacheError) {
        guard terms.subject == .application else {
            throw TokenCacheError(.invalidRequest, detail: "the query is not for a token of the application itself")
        }
        if let defect = terms.defect ?? (terms.environment == nil ? "no environment is named" : nil) {
            throw TokenCacheError(.invalidRequest, detail: defect)
        }
    }

    var holdsLease: Bool { memory.withLock { $0.lease != nil } }

    func advance() throws(TokenCacheError) -> LeasedStep<Void> {
        let revision = engine.currentRevision()
        let found: (token: AccessToken?, isNew: Bool, answer: TokenAnswer)
        do throws(TokenCacheError) {
            found = try look()
        } catch {
            guard error.code == .busy || error.code == .timeout, !deadline.hasPassed else { throw error }
            memory.withLock { $0.waitsSince = nil }
            return .wait
        }
        if let token = found.token {
            // Whoever wants a new token gets one that came since, but none that came for other claims.
            if found.isNew ? !terms.asksForClaims : !terms.passesStoredTokens && !token.shouldRenew {
                return .finished(.valid(token))
            }
        }
        if let known = try knownOutcome(found.answer) { return .finished(known) }
        // It was looked after the lease was taken: nobody else is at it.
        let mayAsk = memory.withLock { memory in
            if memory.lease != nil { memory.hasAsked = true }
            return memory.lease != nil
        }
        if mayAsk { return .spend(()) }
        if try take() { return try advance() }
        // Somebody is at it, and what there is will do meanwhile.
        if let token = found.token, !terms.passesStoredTokens { return .finished(.valid(token)) }
        if deadline.hasPassed { throw TokenCacheError(.renewalBusy) }
        memory.withLock { $0.waitsSince = revision }
        return .wait
    }

    func mayAdvance() throws(TokenCacheError) -> Bool {
        guard let revision = memory.withLock({ $0.waitsSince }) else { return true }
        if engine.currentRevision() != revision || deadline.hasPassed { return true }
        return try take()
    }

    func settle(_ outcome: RenewalOutcome) throws(TokenCacheError) -> TokenResult? {
        defer { end() }
        switch outcome.value {
        case .response(let kept, let scopes):
            let wanted = scopes.isEmpty ? terms.scopeTexts : scopes
            let request = TokenRequest(acquiring: terms, scopes: wanted, asked: asked)
            let outcome = try engine.savePatiently(kept, for: request, spending: nil)
            guard let written = outcome.written else { return nil }
            return try engine.decision(on: written, for: stored, passing: terms)
        case .refused(let response) where !response.isOfServerInTrouble:
            if let partition = memory.withLock({ $0.partition }) {
                engine.keepRefusal(of: asked, .request, response, in: partition)
            }
            return try stillGood() ?? .interactionRequired(.applicationTokenMissing, saying: response)
        case .refused(let response):
            return try unavailable(response)
        case .unavailable(let response):
            return try unavailable(response)
        }
    }

    /// No token was handed to the closure.
    func isGone(_ error: any Error) -> Bool { false }

    func stillGood() throws(TokenCacheError) -> TokenResult? {
        terms.passesStoredTokens ? nil : try validToken().map { .valid($0) }
    }

    func end() {
        memory.withLock { memory in
            memory.lease?.release()
            memory.lease = nil
        }
    }

    /// By when one look has to be done: a store that hangs is asked again as long as there is time for the whole. Once a
    /// server was asked each has time of its own: what came of that must not be lost because it took long.
    private var stepDeadline: Deadline {
        let step = engine.newDeadline()
        return memory.withLock { $0.hasAsked } ? step : min(step, deadline)
    }

    private func take() throws(TokenCacheError) -> Bool {
        let lease = try engine.freeLease(number)
        guard let lease else { return false }
        memory.withLock { $0.lease = lease }
        return true
    }

    private func look() throws(TokenCacheError) -> (token: AccessToken?, isNew: Bool, answer: TokenAnswer) {
        let answer = try engine.freshAnswer(to: stored, until: stepDeadline)
        let baseline = memory.withLock { memory in
            if memory.baseline == nil { memory.baseline = answer.facts.newestSequence }
            memory.partition = answer.facts.partition
            return memory.baseline ?? 0
        }
        let token = answer.validToken
        return (token, token.map { $0.sequence > baseline } ?? false, answer)
    }

    /// What the notes of the group say, so that the server need not be asked.
    private func knownOutcome(_ answer: TokenAnswer) throws(TokenCacheError) -> TokenResult? {
        if let response = try engine.trouble(of: asked.server, until: stepDeadline) {
            return try good(orSaying: response)
        }
        let standing = try engine.standingRefusals(in: answer.facts, until: stepDeadline)
        let known = memory.withLock { memory in
            if memory.knownRefusals == nil { memory.knownRefusals = standing.moment }
            return memory.knownRefusals
        }
        if !terms.passesStoredTokens, let grant = try engine.declined(terms, in: answer.facts, standing) {
            return .scopesDeclined(grant)
        }
        let refusal = try engine.refusal(.request(asked), in: answer.facts.partition, standing)
        // Whoever wants a new token is answered by what was refused since, and by nothing before.
        guard let refusal, !terms.isForced || known?.knows(refusal) == false else { return nil }
        return try stillGood() ?? .interactionRequired(.applicationTokenMissing, saying: refusal.response)
    }

    private func unavailable(_ response: TokenErrorResponse?) throws(TokenCacheError) -> TokenResult {
        engine.keepTrouble(response, of: asked.server)
        return try good(orSaying: response)
    }

    private func good(orSaying response: TokenErrorResponse?) throws(TokenCacheError) -> TokenResult {
        guard !terms.asksForClaims, let token = try validToken() else {
            throw TokenCacheError(.renewalUnavailable, saying: response)
        }
        return .valid(token)
    }

    private func validToken() throws(TokenCacheError) -> AccessToken? {
        try engine.freshAnswer(to: stored, until: stepDeadline).validToken
    }
}

extension TokenServer {
    /// Whom a query asks that is of no account.
    fileprivate init(asked terms: QueryTerms, _ clouds: CloudTable) {
        let environment = UTF8Text(terms.text(terms.environment) ?? "")
        host = clouds.preferredNetworkHost(for: environment).string
        tenant = terms.text(terms.tenant) ?? ""
    }
}

extension TokenAnswer {
    /// The token that it hands out now, where it is one.
    var validToken: AccessToken? {
        guard case .valid(let token) = decision(now: engine.clock.now().secondsSince1970) else { return nil }
        return token
    }
}
