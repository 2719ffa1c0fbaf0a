// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The time that one call may still spend waiting for locks and for the keyring.
///
/// It runs from the start of the call, whatever the call waits for. A call may also take long because it has much to
/// do, or because the user thinks: each finished part and each answer of the user restarts the time. So a hang is
/// detected after one timeout, and everything still attempted after it shares the time that is left.
package final class WaitingTime: Sendable {
    /// The time granted at each restart; `nil` if there are none.
    private let timeout: Duration?
    private let end: Mutex<Deadline>

    /// - Parameter timeout: the time from now, and from each restart.
    package init(_ timeout: Duration) {
        self.timeout = timeout
        end = Mutex(.after(timeout))
    }

    /// For a call that must return by then, however much of it is done.
    package init(until deadline: Deadline) {
        timeout = nil
        end = Mutex(deadline)
    }

    /// When a wait that starts now must give up.
    package var deadline: Deadline { end.withLock { $0 } }

    /// Extends the time by a pause that does not count.
    package func extend(by duration: Duration) {
        end.withLock { $0 = Deadline(instant: $0.instant.advanced(by: duration)) }
    }

    /// Restarts the time because progress was made.
    package func restart() {
        guard let timeout else { return }
        let new = Deadline.after(timeout)
        end.withLock { $0 = new }
    }
}
