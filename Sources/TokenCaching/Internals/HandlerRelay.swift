internal import Glibc
internal import Synchronization

/// Carries news from work that holds a lock to handlers of the caller, and the answer back: the work runs on a thread of
/// its own, the handlers run on the thread that called.
///
/// The work waits for one answer only, the first, and that not long: a handler that cancels at once is heard however
/// short the work is, and one that needs the lock itself gets it all the same.
///
/// Of how far the work has come only the newest is kept. Problems are all kept, as many as the work tells.
@safe final class HandlerRelay: @unchecked Sendable {
    // SAFETY: everything below is only touched while `mutex` is held.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var progress: OperationProgress?
    private var problems: [ImportProblem] = []
    private var isCancelled = false
    private var isDone = false
    /// Whether the first answer is still to be waited for.
    private var awaitsAnswer = true

    /// How long the first answer is waited for.
    private static let patience = Duration.milliseconds(250)

    /// How often it is looked whether the surrounding task was cancelled.
    private static let interval = Duration.milliseconds(100)

    private init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe changed = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        // The wall clock may be set back while somebody waits.
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(changed, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `work` on another thread and the handlers on this one, until the work is done and all is told.
    ///
    /// Where no thread can be had, the work runs on this one; handlers then hear of it when it is over.
    static func run<Value: Sendable, Failure: Error>(
        progress handler: ProgressHandler?,
        onProblem: ((ImportProblem) -> Void)? = nil,
        _ work: @escaping @Sendable (HandlerRelay) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let relay = HandlerRelay()
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
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        self.progress = progress
        unsafe pthread_cond_broadcast(changed)
        var end = Self.moment(after: Self.patience)
        while awaitsAnswer {
            if unsafe pthread_cond_timedwait(changed, mutex, &end) != 0 { awaitsAnswer = false }
        }
        return isCancelled ? .cancel : .proceed
    }

    /// Tells a problem. Never waits for a handler.
    func tell(_ problem: ImportProblem) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        problems.append(problem)
        unsafe pthread_cond_broadcast(changed)
    }

    private func finish() {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        isDone = true
        unsafe pthread_cond_broadcast(changed)
    }

    /// Gives an answer to the work; nil where nobody will.
    private func answer(_ answer: ProgressAnswer?) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        if answer == .cancel { isCancelled = true }
        awaitsAnswer = false
        unsafe pthread_cond_broadcast(changed)
    }

    /// What happened since the last call, after a while also nothing; nil once the work is done and all was told.
    private func next() -> (progress: OperationProgress?, problems: [ImportProblem])? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        if progress == nil, problems.isEmpty, !isDone {
            var end = Self.moment(after: Self.interval)
            unsafe pthread_cond_timedwait(changed, mutex, &end)
        }
        if progress == nil, problems.isEmpty, isDone { return nil }
        defer {
            progress = nil
            problems = []
        }
        return (progress, problems)
    }

    private static func moment(after interval: Duration) -> timespec {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
        let nanoseconds = moment.tv_nsec + Int(interval.components.attoseconds / 1_000_000_000)
        moment.tv_sec += Int(interval.components.seconds) + nanoseconds / 1_000_000_000
        moment.tv_nsec = nanoseconds % 1_000_000_000
        return moment
    }
}
