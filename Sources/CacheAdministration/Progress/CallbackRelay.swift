// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization
internal import TokenCaching

/// Passes progress from work that holds a lock to the caller's handlers, and their answers back: the work runs on a
/// thread of its own, the handlers on the calling thread.
///
/// The work waits only for the first answer, and only briefly. So a handler that cancels at once succeeds however short
/// the work is, and a handler that needs the lock itself still gets it.
///
/// Only the newest progress is kept, but all problems.
final class CallbackRelay: @unchecked Sendable {
    // SAFETY: the mutable properties below are accessed only inside the monitor.
    private let monitor = Monitor()
    private var progress: OperationProgress?
    private var problems: [ImportProblem] = []
    private var isCancelled = false
    private var isDone = false
    /// Whether to wait for the first answer.
    private var awaitsAnswer = true

    /// How long to wait for the first answer.
    private static let waitLimit = Duration.milliseconds(250)

    /// The interval at which cancellation of the surrounding task is checked.
    private static let interval = Duration.milliseconds(100)

    /// Runs `work` on another thread and the handlers on this one, until the work is done and everything was reported.
    ///
    /// If no thread can be created, the work runs on this one, and the handlers are called when it is done.
    static func run<Value: Sendable, Failure: Error>(
        progress handler: ProgressHandler?,
        onProblem: ((ImportProblem) -> Void)? = nil,
        _ work: @escaping @Sendable (CallbackRelay) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let relay = CallbackRelay()
        let box = Outcome<Value, Failure>()
        let whole: @Sendable () -> Void = {
            box.fill { () throws(Failure) in try work(relay) }
            relay.finish()
        }
        if !DedicatedThread.startIfPossible(whole) {
            relay.answer(nil)
            whole()
        }
        while let news = relay.next() {
            for problem in news.problems { onProblem?(problem) }
            let answer = news.progress.map { handler?($0) ?? .proceed }
            if Task.isCancelled { relay.answer(.cancel) } else if let answer { relay.answer(answer) }
        }
        return try box.get()
    }

    private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
        private let result = Mutex<Result<Value, Failure>?>(nil)

        func fill(_ work: () throws(Failure) -> Value) {
            let result = Result { () throws(Failure) in try work() }
            self.result.withLock { $0 = result }
        }

        func get() throws(Failure) -> Value {
            guard let result = result.withLock({ $0 }) else { preconditionFailure("work that is done has a result") }
            return try result.get()
        }
    }

    /// Reports progress. Waits for the first answer, up to a quarter of a second.
    ///
    /// - Returns: the latest answer.
    func report(_ progress: OperationProgress) -> ProgressAnswer {
        monitor.withLock {
            self.progress = progress
            monitor.wakeAll()
            let end = Deadline.after(Self.waitLimit)
            while awaitsAnswer {
                if !monitor.wait(until: end) { awaitsAnswer = false }
            }
            return isCancelled ? .cancel : .proceed
        }
    }

    /// Reports a problem. Never waits for a handler.
    func report(_ problem: ImportProblem) {
        monitor.withLock {
            problems.append(problem)
            monitor.wakeAll()
        }
    }

    private func finish() {
        monitor.withLock {
            isDone = true
            monitor.wakeAll()
        }
    }

    /// Passes an answer to the work; nil if there will be none.
    private func answer(_ answer: ProgressAnswer?) {
        monitor.withLock {
            if answer == .cancel { isCancelled = true }
            awaitsAnswer = false
            monitor.wakeAll()
        }
    }

    /// What was reported since the last call, possibly nothing after an interval; nil once the work is done and
    /// everything was reported.
    private func next() -> (progress: OperationProgress?, problems: [ImportProblem])? {
        monitor.withLock {
            if progress == nil, problems.isEmpty, !isDone { _ = monitor.wait(until: .after(Self.interval)) }
            if progress == nil, problems.isEmpty, isDone { return nil }
            defer {
                progress = nil
                problems = []
            }
            return (progress, problems)
        }
    }
}
