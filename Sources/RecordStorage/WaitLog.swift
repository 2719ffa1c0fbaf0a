internal import Synchronization

/// What the waits of this process were given, for tests. Notes nothing in a release.
package enum WaitLog {
    private static let deadlines = Mutex<[Deadline]?>(nil)

    /// Runs `body`. Others that wait meanwhile are noted as well: for processes that do nothing else.
    ///
    /// - Returns: by when each wait that began meanwhile was to end, in turn; without those that only tried.
    package static func recording(_ body: () throws -> Void) rethrows -> [Deadline] {
        deadlines.withLock { $0 = [] }
        defer { deadlines.withLock { $0 = nil } }
        try body()
        return deadlines.withLock { $0 ?? [] }
    }

    /// Whoever waits calls it first.
    @inline(__always)
    package static func note(_ deadline: Deadline) {
        #if DEBUG
        deadlines.withLock { known in
            if known != nil, !deadline.hasPassed { known?.append(deadline) }
        }
        #endif
    }
}
