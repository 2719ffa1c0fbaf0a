// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Records the deadlines of waits in this process, for tests. Does nothing in release builds.
package enum WaitLog {
    private static let deadlines = Mutex<[Deadline]?>(nil)

    /// Runs `body`. Waits of other threads are recorded too, so use it in a process that does nothing else.
    ///
    /// - Returns: the deadline of each wait that began meanwhile, in order, except mere attempts.
    package static func recording(_ body: () throws -> Void) rethrows -> [Deadline] {
        deadlines.withLock { $0 = [] }
        defer { deadlines.withLock { $0 = nil } }
        try body()
        return deadlines.withLock { $0 ?? [] }
    }

    /// Called at the start of every wait.
    @inline(__always)
    package static func note(_ deadline: Deadline) {
        #if DEBUG
        deadlines.withLock { known in
            if known != nil, !deadline.hasPassed { known?.append(deadline) }
        }
        #endif
    }
}
