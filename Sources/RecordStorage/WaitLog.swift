// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Records the deadlines of waits in this process, for tests. Does nothing in release builds.
package enum WaitLog {
    private static let deadlines = Mutex<[Deadline]?>(nil)

    /// Runs `body`, recording waits. It records waits of other threads too, so use it in a process that does nothing
    /// else.
    ///
    /// - Returns: the deadlines of the waits that started meanwhile, in order, without attempts that do not wait.
    package static func recording(_ body: () throws -> Void) rethrows -> [Deadline] {
        deadlines.withLock { $0 = [] }
        defer { deadlines.withLock { $0 = nil } }
        try body()
        return deadlines.withLock { $0 ?? [] }
    }

    /// The same for asynchronous calls.
    package nonisolated(nonsending) static func recording(_ body: () async throws -> Void) async rethrows -> [Deadline]
    {
        deadlines.withLock { $0 = [] }
        defer { deadlines.withLock { $0 = nil } }
        try await body()
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
