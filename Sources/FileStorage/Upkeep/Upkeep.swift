internal import RecordStorage
internal import Synchronization

/// Runs one job at a time on a thread of its own, behind the calls of a store.
final class Upkeep: Sendable {
    private struct State {
        var thread: BackgroundThread?
        var isRunning = false
        /// When the job is to end; no other one starts.
        var end: Deadline?
    }

    private let state = Mutex(State())

    /// Starts `job` unless one is running. The job asks its argument whether it is to stop.
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

    /// Waits for the end of the job that is running.
    func wait() {
        let thread = state.withLock { state in
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join()
    }

    /// Asks the job to end at that moment, waits for it, and starts no other one.
    func stop(at end: Deadline) {
        state.withLock { $0.end = $0.end ?? end }
        wait()
    }
}
