internal import Synchronization

/// How much longer one call may wait for locks and for the keyring.
///
/// It runs from the beginning of the call, whatever the call waits for. A call may also take long because there is much to
/// do, or because a person thinks: with each part that is done, and each answer of a person, the time begins anew. So who
/// hangs is noticed after one timeout, and what is still tried after that shares what is left.
package final class WaitingTime: Sendable {
    /// From each new beginning; `nil` where there is none.
    private let timeout: Duration?
    private let end: Mutex<Deadline>

    /// - Parameter timeout: from now on, and from each new beginning.
    package init(_ timeout: Duration) {
        self.timeout = timeout
        end = Mutex(.after(timeout))
    }

    /// For what is over by then, however much of it is done.
    package init(until deadline: Deadline) {
        timeout = nil
        end = Mutex(deadline)
    }

    /// By when whoever waits now gives up.
    package var deadline: Deadline { end.withLock { $0 } }

    /// Stood still for so long.
    package func extend(by duration: Duration) {
        end.withLock { $0 = Deadline(instant: $0.instant.advanced(by: duration)) }
    }

    /// Begins anew, because something was done.
    package func restart() {
        guard let timeout else { return }
        let new = Deadline.after(timeout)
        end.withLock { $0 = new }
    }
}
