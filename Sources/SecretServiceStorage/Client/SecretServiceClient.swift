// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage
internal import Sealing
internal import Synchronization

/// Talks to the keyring of the session.
///
/// Every call returns by its deadline, whatever the service, the bus or the user does. The calls of a client run in
/// order on its own thread, over its own connection. If the service has exited, the client looks it up again, once per
/// call. Thread-safe. The first call loads the libraries and starts the thread.
package final class SecretServiceClient: Sendable {
    package let location: SecretServiceLocation
    private let thread = BusThread()
    private let state: ThreadState

    /// The state confined to the thread.
    private final class ThreadState: @unchecked Sendable {
        // SAFETY: touched by jobs of the one thread only.
        var session: KeyringSession?
    }

    package init(_ location: SecretServiceLocation = SecretServiceLocation()) {
        self.location = location
        state = ThreadState()
    }

    deinit {
        close()
    }

    /// Closes the connection. Later calls fail.
    package func close() {
        thread.stop { [state] _ in state.session = nil }
    }

    /// Closes the connection; the next call opens a new one.
    func disconnect() {
        _ = thread.run(until: .after(.milliseconds(200))) { [state] _ in state.session = nil }
    }

    /// The process that offers the service according to the bus, even if that process does not answer. Does not start
    /// the service.
    ///
    /// - Returns: `nil` if no process does, or the bus does not tell.
    package static func process(at location: SecretServiceLocation, until deadline: Deadline) -> Int32? {
        let thread = BusThread()
        defer { thread.stop { _ in } }
        let found = JobResult<Int32?>()
        let waited = thread.run(until: deadline) { limits in
            found.set(.success(try? KeyringSession.process(at: location, limits)))
        }
        guard case .done = waited, case .success(let process)? = found.result else { return nil }
        return process
    }

    /// Runs `body` with a connected keyring.
    ///
    /// If the service was replaced before `body` requested a change, `body` runs again.
    ///
    /// - Throws: the errors of `body`; ``SecretServiceError/Code/timedOut``, or
    ///   ``SecretServiceError/Code/indeterminate`` if it had requested a change.
    func run<Result: Sendable>(
        until deadline: Deadline,
        prompts: PromptPolicy = .never,
        _ body: @escaping @Sendable (KeyringCalls) throws(SecretServiceError) -> Result
    ) throws(SecretServiceError) -> Result {
        let outcome = JobResult<Result>()
        let waited = thread.run(until: deadline) { [location, state] limits in
            outcome.set(Self.perform(location, state: state, limits: limits, prompts: prompts, outcome: outcome, body))
        }
        switch waited {
        case .done:
            guard let result = outcome.result else { throw SecretServiceError(.timedOut) }
            return try result.get()
        case .notStarted: throw SecretServiceError(.timedOut)
        case .abandoned: throw SecretServiceError(outcome.mayHaveChanged ? .indeterminate : .timedOut)
        case .refused(let code): throw SecretServiceError(code)
        }
    }

    private static func perform<Result: Sendable>(
        _ location: SecretServiceLocation,
        state: ThreadState,
        limits: CallLimits,
        prompts: PromptPolicy,
        outcome: JobResult<Result>,
        _ body: (KeyringCalls) throws(SecretServiceError) -> Result
    ) -> Swift.Result<Result, SecretServiceError> {
        var triesLeft = 2
        var sessionsLeft = 4
        while true {
            do throws(SecretServiceError) {
                if state.session?.connection.isClosed == true { state.session = nil }
                let session: KeyringSession
                if let known = state.session {
                    session = known
                } else {
                    session = try KeyringSession.open(location, limits)
                    state.session = session
                }
                let mayRenew = sessionsLeft > 0
                let calls = KeyringCalls(session, limits: limits, prompts: prompts, mayRenewSession: mayRenew) {
                    outcome.noteChanges($0)
                }
                return .success(try body(calls))
            } catch {
                // Close the connection, so that an unanswered request or prompt cannot take effect on it later.
                let endsSession: Set<SecretServiceError.Code> = [
                    .serviceLost, .sessionBroken, .indeterminate, .promptPending, .timedOut, .protocolViolated,
                    .collectionMissing,
                ]
                let error = error.naming(collectionOf: state.session)
                if endsSession.contains(error.code) { state.session = nil }
                if outcome.mayHaveChanged {
                    return .failure(SecretServiceError(.indeterminate, detail: error.detail ?? error.code.rawValue))
                }
                if error.code == .sessionBroken {
                    sessionsLeft -= 1
                    continue
                }
                guard error.code == .serviceLost else { return .failure(error) }
                triesLeft -= 1
                if triesLeft > 0 { continue }
                // The bus reported twice that the running service does not answer.
                return .failure(error.detail == SecretServiceError.unanswered ? SecretServiceError(.timedOut) : error)
            }
        }
    }
}

/// The result of a job, which may complete after its caller has stopped waiting.
private final class JobResult<Value: Sendable>: Sendable {
    private let state = Mutex<(result: Result<Value, SecretServiceError>?, changeCount: Int)>((nil, 0))

    var result: Result<Value, SecretServiceError>? { state.withLock { $0.result } }
    var mayHaveChanged: Bool { state.withLock { $0.changeCount > 0 } }

    func set(_ result: Result<Value, SecretServiceError>) {
        state.withLock { $0.result = result }
    }

    /// Adds `count` to the number of changes that may have been made; -1 retracts one.
    func noteChanges(_ count: Int) {
        state.withLock { $0.changeCount += count }
    }
}

extension SecretServiceError {
    /// Names the collection that is locked, so that the user knows which one to unlock.
    fileprivate func naming(collectionOf session: KeyringSession?) -> SecretServiceError {
        guard code == .locked, let session else { return self }
        let collection = "collection \(session.collectionName)"
        return SecretServiceError(.locked, detail: [collection, detail].compactMap(\.self).joined(separator: ", "))
    }
}

extension SecretServiceClient {
    /// Creates an item, reads it back and deletes it, to test that the keyring stores items intact.
    ///
    /// - Throws: ``SecretServiceError/Code/itemDamaged`` if the content read back differs, and errors of the keyring.
    ///   If the keyring exits during the test, the item may remain; the next round trip deletes it.
    package func roundTrip(until deadline: Deadline) throws(SecretServiceError) {
        let text: SecretText
        do throws(SealingError) {
            var canary: [UInt8] = []
            try SecretBytes.random(byteCount: 24).withBytes { canary = $0.copied() }
            text = .sealed(Base64.encode(canary))
        } catch {
            throw SecretServiceError(.refused, detail: "there is no memory for the test item")
        }
        try run(until: deadline) { calls throws(SecretServiceError) in
            let attributes = [("xdg:schema", KeyringAttributes.schema), ("role", "canary")]
            _ = try calls.create(attributes, label: KeyringAttributes.label, text)
            let items = try calls.search(attributes)
            let contents = try calls.secrets(of: items) { $0.copied() }
            for item in items { try calls.delete(item) }
            let isKept = text.withBytes { (kept: RawSpan) in
                contents.values.contains { (try? $0.get())?.elementsEqual(kept.copied()) == true }
            }
            guard isKept else {
                throw SecretServiceError(.itemDamaged, detail: "the content that was read back differs")
            }
        }
    }
}
