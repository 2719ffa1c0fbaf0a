// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

/// One call that asks a token endpoint under a lease, step by step. One driver at a time uses it, on any thread.
protocol LeasedRun: Sendable {
    /// The argument of the closure.
    associatedtype Subject: Sendable

    /// The threads that read and write storage.
    var pool: BlockingPool { get }

    /// When to stop waiting for other callers.
    var deadline: Deadline { get }

    var engine: Engine { get }

    /// The query.
    var terms: PreparedQuery { get }

    /// Whether the closure was called, or is about to be.
    var hasAsked: Bool { get }

    /// The server's last error response, to this call or to an earlier one of the group; reported with the call's
    /// error.
    var lastResponse: TokenErrorResponse? { get nonmutating set }

    /// Whether other callers may be waiting for its lease.
    var holdsLease: Bool { get }

    /// Reads the newest state and takes the lease if it is free.
    ///
    /// - Throws: `renewalBusy` if another caller holds the lease when the deadline has passed, and errors of reading.
    func advance() throws(StorageError) -> LeasedStep<Subject>

    /// Whether to stop waiting: something changed, the lease is free (then this takes it), or the deadline has passed.
    func mayAdvance() throws(StorageError) -> Bool

    /// Processes the result of the closure.
    ///
    /// - Returns: the result for the caller; nil if the cache must be queried again.
    /// - Throws: `signedOut` if the account was signed out in the meantime, and errors of storing.
    func settle(_ outcome: RenewalOutcome) throws(StorageError) -> TokenResult?

    /// Whether a closure failed because its token was removed in the meantime, so that the cache must be queried again.
    func isGone(_ error: any Error) -> Bool

    /// The stored token, unless the query ignores it. If the store is temporarily unreadable, the last known one.
    func validResult() throws(StorageError) -> TokenResult?

    /// Releases the lease.
    func end()
}

/// The next action of the driver.
enum LeasedStep<Subject: Sendable>: Sendable {
    case finished(TokenResult)
    /// Call the closure, then ``LeasedRun/settle(_:)``. No other caller does so meanwhile.
    case redeem(Subject)
    /// Wait a little, until ``LeasedRun/mayAdvance()`` returns true.
    case wait

    /// A step other than waiting.
    enum Ready {
        case finished(TokenResult)
        case redeem(Subject)
    }
}

extension LeasedRun {
    /// The known token, unless the query ignores it.
    func validResult(_ known: AccessToken?) -> TokenResult? {
        terms.ignoresStoredTokens ? nil : known.map { .valid($0) }
    }

    /// The result while the server cannot help: a valid token, unless the query ignores it. The server is not asked again until
    /// the given time, in seconds since 1970.
    func unavailable(
        _ response: TokenErrorResponse?,
        until end: Int64?,
        _ known: AccessToken?
    ) throws(StorageError) -> TokenResult {
        if let result = validResult(known) { return result }
        if let response { lastResponse = response }
        let answer = response?.status.map { "the server answered \($0)" }
        let wait = end.map { "it is not asked again before \(CalendarTime.text(of: $0))" }
        let detail = [answer, wait].compactMap(\.self).joined(separator: ", and ")
        throw StorageError(.renewalUnavailable, detail: detail.isEmpty ? nil : detail)
    }

    /// When the time that a stored response asks to wait is over, in seconds since 1970.
    func end(of response: TokenErrorResponse) -> Int64? {
        response.retryAfter.map { engine.clock.now().secondsSince1970 + $0.secondsRoundedUp }
    }

    /// The deadline of one step: a store that hangs is retried until the deadline of the call. Once a server was asked,
    /// each step has its own time, because the response must not be lost if storing it takes long.
    var stepDeadline: Deadline {
        let step = engine.newDeadline()
        return hasAsked ? step : min(step, deadline)
    }

    /// The step after a temporary failure to read. Like a lookup, it hands out the last known token if that is valid:
    /// only a caller without one waits.
    func stepAfterReadFailure(_ error: StorageError) throws(StorageError) -> LeasedStep<Subject> {
        if let result = try validResult() { return .finished(result) }
        if deadline.hasPassed { throw error }
        return .wait
    }

    /// Like ``advance()``, but a failure does not discard a valid token.
    private func nextStep() throws(StorageError) -> LeasedStep<Subject> {
        do throws(StorageError) {
            return try advance()
        } catch {
            return .finished(try validResult(insteadOf: error))
        }
    }

    /// What the result of the closure leads to. A failure does not discard a valid token.
    ///
    /// - Returns: the result for the caller; nil if the cache must be queried again.
    func consequence(of outcome: Result<RenewalOutcome, any Error>) throws(StorageError) -> TokenResult? {
        do throws(StorageError) {
            switch outcome {
            case .success(let outcome): return try settle(outcome)
            case .failure(let error) where isGone(error): return nil
            case .failure(let error):
                throw StorageError(error is CancellationError ? .cancelled : .renewalFailed, underlying: error)
            }
        } catch {
            return try validResult(insteadOf: error)
        }
    }

    /// An ageing token is valid regardless of the attempt to get a newer one, unless the user signed out.
    ///
    /// - Throws: the error, if there is no such token or it cannot be read.
    private func validResult(insteadOf error: StorageError) throws(StorageError) -> TokenResult {
        guard error.code != .signedOut, let result = try? validResult() else { throw error }
        return result
    }

    /// Runs all steps. Storage is read and written on threads of the pool; waiting occupies none of them.
    nonisolated(nonsending) func drive(
        _ redeeming: (Subject) async throws -> RenewalOutcome
    ) async throws(TokenCacheError) -> TokenResult {
        defer { end() }
        do throws(StorageError) {
            while true {
                switch try await onPool({ () throws(StorageError) in try nextStep() }) {
                case .finished(let decision):
                    return decision
                case .wait:
                    var pause = LeasePause()
                    repeat {
                        do { try await Task.sleep(for: pause.next()) } catch { throw StorageError(.cancelled) }
                    } while try !mayAdvance()
                case .redeem(let subject):
                    if Task.isCancelled { throw StorageError(.cancelled) }
                    let outcome: Result<RenewalOutcome, any Error>
                    do { outcome = .success(try await redeeming(subject)) } catch { outcome = .failure(error) }
                    let settled = try await onPool { () throws(StorageError) in try consequence(of: outcome) }
                    if let settled { return settled }
                }
            }
        } catch {
            throw TokenCacheError(error, saying: lastResponse)
        }
    }

    private nonisolated(nonsending) func onPool<Value: Sendable>(
        _ step: @escaping @Sendable () throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        try await pool.run(isUrgent: holdsLease, until: hasAsked ? stepDeadline : deadline, step)
    }

    /// Runs all steps on the calling thread.
    func driveSynchronously(_ redeeming: (Subject) throws -> RenewalOutcome) throws(TokenCacheError) -> TokenResult {
        defer { end() }
        do throws(StorageError) {
            while true {
                switch try nextStepAfterWaiting() {
                case .finished(let decision): return decision
                case .redeem(let subject):
                    if let settled = try consequence(of: Result { try redeeming(subject) }) { return settled }
                }
            }
        } catch {
            throw TokenCacheError(error, saying: lastResponse)
        }
    }

    /// The next step, after having waited on the calling thread.
    func nextStepAfterWaiting() throws(StorageError) -> LeasedStep<Subject>.Ready {
        while true {
            switch try nextStep() {
            case .finished(let result): return .finished(result)
            case .redeem(let subject): return .redeem(subject)
            case .wait:
                var pause = LeasePause()
                repeat { Pause.sleep(nanoseconds: pause.next().nanoseconds) } while try !mayAdvance()
            }
        }
    }
}

/// The pause between two attempts to take a lease that another caller holds: short at first.
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
