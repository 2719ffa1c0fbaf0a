// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import SecretServiceStorage
internal import Synchronization
internal import TokenCaching

/// The state of the session's keyring, queried once for all checks of an examination.
///
/// If the user must not be prompted, a separate thread queries the keyring at once: the wait for a hanging keyring then
/// overlaps with opening the group, which may need the keyring too.
final class KeyringLook: @unchecked Sendable {
    // SAFETY: everything mutable is accessed only inside the monitor, or only by the caller's thread if prompts are
    // allowed.
    private let monitor = Monitor()
    private var known: Answer?
    private let location: SecretServiceLocation
    private let timeout: Duration
    private let prompts: KeyringPrompts

    struct Answer: Sendable {
        let probe: Result<KeyringProbe, SecretServiceError>
        /// The time to reach the keyring, and the time of a call after that.
        var times = (reach: Duration.zero, call: Duration.zero)
        /// The process that provides the service, if the call failed and the bus knows the process.
        var process: Int32?
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

    /// Waits for the result.
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

    /// Returns by the deadline.
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
            // The bus answers even if the keyring does not.
            let process = SecretServiceClient.process(at: location, until: .after(.milliseconds(500)))
            return Answer(probe: .failure(error), process: process)
        }
    }
}
