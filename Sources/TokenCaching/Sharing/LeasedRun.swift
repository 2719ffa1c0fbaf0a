internal import RecordStorage

/// One call that asks a token endpoint under a lease, step by step. Used by one driver at a time, on any thread.
protocol LeasedRun: Sendable {
    /// What the closure is handed.
    associatedtype Subject: Sendable

    /// Whose threads read and write storage.
    var pool: BlockingPool { get }

    /// Until when others are waited for.
    var deadline: Deadline { get }

    var engine: Engine { get }

    /// What the query asks for.
    var terms: PreparedQuery { get }

    /// Whether the closure was called, or is about to be.
    var hasAsked: Bool { get }

    /// What a server said to the closure last, where the cache was asked again for that.
    var lastResponse: TokenErrorResponse? { get }

    /// Whether others may be waiting for the lease that it has.
    var holdsLease: Bool { get }

    /// Looks at the newest state and takes the lease where it is free.
    ///
    /// - Throws: `renewalBusy` where somebody holds the lease and the time is over, and what looking meets.
    func advance() throws(TokenCacheError) -> LeasedStep<Subject>

    /// Whether waiting is over: something changed, the lease is free (then it is taken), or the time is over.
    func mayAdvance() throws(TokenCacheError) -> Bool

    /// Draws the consequences of what the closure returned.
    ///
    /// - Returns: what the caller gets; nil where the cache has to be asked again.
    /// - Throws: `signedOut` where the account was signed out meanwhile, and what storing meets.
    func settle(_ outcome: RenewalOutcome) throws(TokenCacheError) -> TokenResult?

    /// Whether a closure could not do anything because its token was removed meanwhile, so that the cache has to be asked
    /// again.
    func isGone(_ error: any Error) -> Bool

    /// The token that there is, where the query does not pass it over. Where nobody can look just now, the one that was known last.
    func stillGood() throws(TokenCacheError) -> TokenResult?

    /// Gives the lease back.
    func end()
}

/// What the driver has to do next.
enum LeasedStep<Subject: Sendable>: Sendable {
    case finished(TokenResult)
    /// Call the closure, then ``LeasedRun/settle(_:)``. Nobody else does so meanwhile.
    case spend(Subject)
    /// Wait a little, until ``LeasedRun/mayAdvance()`` says so.
    case wait
}

extension LeasedRun {
    /// The token that is known, where the query does not pass it over.
    func good(_ known: AccessToken?) -> TokenResult? {
        terms.passesStoredTokens ? nil : known.map { .valid($0) }
    }

    /// What there is while the server cannot help; never the token that a resource refused.
    func unavailable(
        _ response: TokenErrorResponse?,
        _ known: AccessToken?
    ) throws(TokenCacheError) -> TokenResult {
        guard !terms.asksForClaims, let known else { throw TokenCacheError(.renewalUnavailable, saying: response) }
        return .valid(known)
    }

    /// By when one look has to be done: a store that hangs is asked again as long as there is time for the whole. Once a
    /// server was asked each has time of its own: what came of that must not be lost because it took long.
    var stepDeadline: Deadline {
        let step = engine.newDeadline()
        return hasAsked ? step : min(step, deadline)
    }

    /// The step after a look that failed and may succeed later. As a lookup does, it hands out the token that was known last, where
    /// that is good: only whoever has none waits.
    func stepWhereNobodyCanLook(_ error: TokenCacheError) throws(TokenCacheError) -> LeasedStep<Subject> {
        if let good = try stillGood() { return .finished(good) }
        if deadline.hasPassed { throw error }
        return .wait
    }

    /// As ``advance()``, but what fails takes no good token away.
    private func nextStep() throws(TokenCacheError) -> LeasedStep<Subject> {
        do throws(TokenCacheError) {
            return try advance()
        } catch {
            return .finished(try goodToken(insteadOf: error))
        }
    }

    /// As ``settle(_:)``, but what fails takes no good token away.
    private func consequence(of outcome: RenewalOutcome) throws(TokenCacheError) -> TokenResult? {
        do throws(TokenCacheError) {
            return try settle(outcome)
        } catch {
            return try goodToken(insteadOf: error)
        }
    }

    /// An ageing token is good whatever became of the attempt to get a newer one, unless the person signed out.
    ///
    /// - Throws: the error, where there is no such token, or nobody can tell.
    private func goodToken(insteadOf error: TokenCacheError) throws(TokenCacheError) -> TokenResult {
        guard error.code != .signedOut, let good = try? stillGood() else { throw error }
        return good
    }

    /// Goes through all steps. Storage is read and written on threads of the pool; waiting holds none of them.
    nonisolated(nonsending) func drive(
        _ spending: (Subject) async throws -> RenewalOutcome
    ) async throws(TokenCacheError) -> TokenResult {
        defer { end() }
        do throws(TokenCacheError) {
            return try await goThrough(spending)
        } catch {
            throw error.saying(lastResponse)
        }
    }

    private nonisolated(nonsending) func goThrough(
        _ spending: (Subject) async throws -> RenewalOutcome
    ) async throws(TokenCacheError) -> TokenResult {
        while true {
            switch try await onPool({ () throws(TokenCacheError) in try nextStep() }) {
            case .finished(let decision):
                return decision
            case .wait:
                var pause = LeasePause()
                repeat {
                    do { try await Task.sleep(for: pause.next()) } catch { throw TokenCacheError(.cancelled) }
                } while try !mayAdvance()
            case .spend(let subject):
                if Task.isCancelled { throw TokenCacheError(.cancelled) }
                let outcome: RenewalOutcome
                do { outcome = try await spending(subject) } catch {
                    if isGone(error) { continue }
                    let failure = TokenCacheError(renewalFailure: error)
                    return try await onPool { () throws(TokenCacheError) in try goodToken(insteadOf: failure) }
                }
                let settled = try await onPool { () throws(TokenCacheError) in try consequence(of: outcome) }
                if let settled { return settled }
            }
        }
    }

    private nonisolated(nonsending) func onPool<Value: Sendable>(
        _ step: @escaping @Sendable () throws(TokenCacheError) -> Value
    ) async throws(TokenCacheError) -> Value {
        try await pool.run(isUrgent: holdsLease, until: hasAsked ? stepDeadline : deadline, step)
    }

    /// Goes through all steps on the calling thread.
    func driveSynchronously(_ spending: (Subject) throws -> RenewalOutcome) throws(TokenCacheError) -> TokenResult {
        defer { end() }
        do throws(TokenCacheError) {
            return try goThroughSynchronously(spending)
        } catch {
            throw error.saying(lastResponse)
        }
    }

    private func goThroughSynchronously(
        _ spending: (Subject) throws -> RenewalOutcome
    ) throws(TokenCacheError) -> TokenResult {
        while true {
            switch try nextStep() {
            case .finished(let decision):
                return decision
            case .wait:
                var pause = LeasePause()
                repeat { Pause.sleep(nanoseconds: pause.next().nanoseconds) } while try !mayAdvance()
            case .spend(let subject):
                let outcome: RenewalOutcome
                do { outcome = try spending(subject) } catch {
                    if isGone(error) { continue }
                    return try goodToken(insteadOf: TokenCacheError(renewalFailure: error))
                }
                if let settled = try consequence(of: outcome) { return settled }
            }
        }
    }
}

/// How long to wait between two looks at a lease that another one holds: shortly at first.
private struct LeasePause {
    private var microseconds: Int64 = 1_000

    mutating func next() -> Duration {
        defer { microseconds = min(microseconds * 3 / 2, 20_000) }
        return .microseconds(microseconds)
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

extension TokenCacheError {
    /// What a closure that renews threw.
    fileprivate init(renewalFailure error: any Error) {
        self.init(error is CancellationError ? .cancelled : .renewalFailed, underlying: error)
    }
}
