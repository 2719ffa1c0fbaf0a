internal import RecordStorage
internal import SecretServiceStorage
internal import Synchronization
internal import TokenCaching

/// What the keyring of the session answers, asked once for all that an examination says of it.
///
/// Where no person may be asked it is asked at once, on a thread of its own: a keyring that hangs is then waited for while
/// the group is opened, which may need it too, and not once more.
final class KeyringLook: @unchecked Sendable {
    // SAFETY: what is not constant is only touched inside the monitor.
    private let monitor = Monitor()
    private var known: Answer?
    private let location: SecretServiceLocation
    private let timeout: Duration
    private let prompts: KeyringPrompts

    struct Answer: Sendable {
        let probe: Result<KeyringProbe, SecretServiceError>
        /// How long it took to reach it, and how long a call takes then.
        var times = (reach: Duration.zero, call: Duration.zero)
    }

    init(busAddress: String, timeout: Duration, prompts: KeyringPrompts) {
        location = SecretServiceLocation(busAddress: busAddress)
        self.timeout = timeout
        self.prompts = prompts
        guard prompts.longestWait == nil else { return }
        DedicatedThread.start { [self] in
            let answer = ask()
            monitor.withLock {
                known = answer
                monitor.wakeAll()
            }
        }
    }

    /// Waits for it.
    func answer() -> Answer {
        guard prompts.longestWait == nil else {
            let answer = known ?? ask()
            known = answer
            return answer
        }
        return monitor.withLock {
            while true {
                if let known { return known }
                monitor.wait()
            }
        }
    }

    /// Ends by the deadline.
    private func ask() -> Answer {
        let client = SecretServiceClient(location)
        defer { client.close() }
        let deadline = Deadline.after(max(timeout, prompts.longestWait ?? timeout))
        let clock = ContinuousClock()
        let begun = clock.now
        do throws(SecretServiceError) {
            let probe = try client.probe(until: deadline, prompts: prompts.longestWait == nil ? .never : .allowed)
            let reached = clock.now
            _ = try client.probe(until: deadline)
            return Answer(probe: .success(probe), times: (reached - begun, clock.now - reached))
        } catch {
            return Answer(probe: .failure(error))
        }
    }
}
