// SPDX-License-Identifier: Apache-2.0

/// A lock between threads that supports waiting with a deadline. Waiting threads sleep and get the lock in order.
package final class TimedLock: @unchecked Sendable {
    // SAFETY: the fields are touched inside the monitor only.
    private let monitor = Monitor()
    private var isHeld = false
    private var waiting: [UInt64] = []
    private var lastTicket: UInt64 = 0

    package init() {}

    /// Waits for the lock, or tries once if the deadline is in the past.
    ///
    /// - Returns: false if the deadline passed first.
    package func acquire(until deadline: Deadline) -> Bool {
        WaitLog.note(deadline)
        return monitor.withLock {
            lastTicket += 1
            let ticket = lastTicket
            waiting.append(ticket)
            while isHeld || waiting.first != ticket {
                guard monitor.wait(until: deadline) else {
                    waiting.removeAll { $0 == ticket }
                    monitor.wakeAll()
                    return false
                }
            }
            waiting.removeFirst()
            isHeld = true
            return true
        }
    }

    /// Takes the lock unless another thread holds it or waits for it.
    package func acquireIfFree() -> Bool {
        monitor.withLock {
            guard !isHeld, waiting.isEmpty else { return false }
            isHeld = true
            return true
        }
    }

    /// Releases the lock.
    package func release() {
        monitor.withLock {
            isHeld = false
            monitor.wakeAll()
        }
    }
}
