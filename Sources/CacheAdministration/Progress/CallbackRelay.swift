internal import RecordStorage
internal import Synchronization
internal import TokenCaching

/// Carries news from work that holds a lock to handlers of the caller, and the answer back: the work runs on a thread of
/// its own, the handlers run on the thread that called.
///
/// The work waits for one answer only, the first, and that not long: a handler that cancels at once is heard however
/// short the work is, and one that needs the lock itself gets it all the same.
///
/// Of how far the work has come only the newest is kept. Problems are all kept, as many as the work tells.
final class CallbackRelay: @unchecked Sendable {
    // SAFETY: everything below is only touched inside the monitor.
    private let monitor = Monitor()
    private var progress: OperationProgress?
    private var problems: [ImportProblem] = []
    private var isCancelled = false
    private var isDone = false
    /// Whether the first answer is still to be waited for.
    private var awaitsAnswer = true

    /// How long the first answer is waited for.
    private static let perItemDeadlines = Duration.milliseconds(250)

    /// How often it is looked whether the surrounding task was cancelled.
    private static let interval = Duration.milliseconds(100)

    /// Runs `work` on another thread and the handlers on this one, until the work is done and all is told.
    ///
    /// Where no thread can be had, the work runs on this one; handlers then hear of it when it is over.
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

    /// Tells how far the work has come. Waits for the first answer, up to a quarter of a second.
    ///
    /// - Returns: what was answered so far.
    func tell(_ progress: OperationProgress) -> ProgressAnswer {
        monitor.withLock {
            self.progress = progress
            monitor.wakeAll()
            let end = Deadline.after(Self.perItemDeadlines)
            while awaitsAnswer {
                if !monitor.wait(until: end) { awaitsAnswer = false }
            }
            return isCancelled ? .cancel : .proceed
        }
    }

    /// Tells a problem. Never waits for a handler.
    func tell(_ problem: ImportProblem) {
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

    /// Gives an answer to the work; nil where nobody will.
    private func answer(_ answer: ProgressAnswer?) {
        monitor.withLock {
            if answer == .cancel { isCancelled = true }
            awaitsAnswer = false
            monitor.wakeAll()
        }
    }

    /// What happened since the last call, after a while also nothing; nil once the work is done and all was told.
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
