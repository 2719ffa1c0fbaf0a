// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization

/// Runs one job at a time on its own thread, in the background of a store.
final class Upkeep: Sendable {
    private struct State {
        var thread: BackgroundThread?
        var isRunning = false
        /// When the job must end; no other one starts.
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

    /// Asks the job to end by then, waits for it, and starts no other.
    func stop(at end: Deadline) {
        state.withLock { $0.end = $0.end ?? end }
        wait()
    }
}
