// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The time that one call may still spend waiting for locks and for the keyring.
///
/// It runs from the start of the call, whatever the call waits for. Since a call may also take long because of much
/// work or a slow user, each finished part and each answer of the user restarts the time. So a hang is detected after
/// one timeout, and all further attempts share the time left.
package final class WaitingTime: Sendable {
    /// The time granted at each restart; `nil` if restarts have no effect.
    private let timeout: Duration?
    private let end: Mutex<Deadline>

    /// - Parameter timeout: the time from now, and from each restart.
    package init(_ timeout: Duration) {
        self.timeout = timeout
        end = Mutex(.after(timeout))
    }

    /// Creates a time without restarts, for a call that must return by `deadline`, finished or not.
    package init(until deadline: Deadline) {
        timeout = nil
        end = Mutex(deadline)
    }

    /// The deadline of a wait that starts now.
    package var deadline: Deadline { end.withLock { $0 } }

    /// Extends the time by a pause that must not count.
    package func extend(by duration: Duration) {
        end.withLock { $0 = Deadline(time: $0.time + duration) }
    }

    /// Restarts the time after progress.
    package func restart() {
        guard let timeout else { return }
        let new = Deadline.after(timeout)
        end.withLock { $0 = new }
    }
}
