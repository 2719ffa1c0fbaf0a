// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization

/// Runs background jobs of a store, one at a time, on a separate thread.
final class BackgroundJobs: Sendable {
    private struct State {
        var thread: BackgroundThread?
        var isRunning = false
        /// The time by which the running job must end; once set, no other job starts.
        var end: Deadline?
    }

    private let state = Mutex(State())

    /// Starts `job` unless one is running. The job polls its argument to learn whether to stop.
    func start(_ job: @escaping @Sendable (_ isStopped: @escaping @Sendable () -> Bool) -> Void) {
        state.withLock { state in
            guard !state.isRunning, state.end == nil else { return }
            state.thread?.join()
            state.isRunning = true
            state.thread = BackgroundThread { [self] in
                job { [self] in self.state.withLock { $0.end?.hasPassed ?? false } }
                self.state.withLock { $0.isRunning = false }
            }
            if state.thread == nil { state.isRunning = false }
        }
    }

    /// Waits for the running job to end.
    func wait() {
        let thread = state.withLock { state in
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join()
    }

    /// Asks the job to end by `end` and waits for it. No other job starts afterwards.
    func stop(at end: Deadline) {
        state.withLock { $0.end = $0.end ?? end }
        wait()
    }
}
