// SPDX-License-Identifier: Apache-2.0

internal import CSecretService
internal import Glibc
internal import GroupDirectory
internal import RecordStorage
internal import Synchronization

/// Runs the jobs of one client in order, on a dedicated thread with its own GLib context.
///
/// A caller waits for its job only until the deadline. Then the job's calls are cancelled and, if it does not end soon
/// after, the job is abandoned. The program needs no main loop.
@safe final class BusThread: @unchecked Sendable {
    // SAFETY: all fields are touched inside the monitor only.
    private let monitor = Monitor()
    private var waiting: [Job] = []
    private var current: Job?
    private var isRunning = false
    private var isStopped = false
    private let process = getpid()
    /// The first process in which GLib started its own threads; 0 if it has not. A forked child inherits the locks of
    /// those threads but not the threads, so its calls would never return.
    private static let firstUser = Atomic<Int32>(0)

    /// A job, which runs on the thread and receives its limits.
    typealias Body = @Sendable (CallLimits) -> Void

    /// The time that cancelled calls have to return after the deadline.
    private static let grace = Duration.milliseconds(100)

    @safe private final class Job {
        let deadline: Deadline
        let body: Body
        // SAFETY: set and released by the thread, used inside the monitor.
        var cancellable: OpaquePointer?
        var hasStarted = false
        var hasEnded = false

        init(_ deadline: Deadline, _ body: @escaping Body) {
            self.deadline = deadline
            self.body = body
        }
    }

    /// How waiting for a job ended.
    enum Outcome {
        case done
        /// The job did not start.
        case notStarted
        /// The job started, and may still be running.
        case abandoned
        /// No thread can run the job: the client was closed, the system cannot create a thread, or this is a forked
        /// child.
        case refused(SecretServiceError.Code)
    }

    /// Runs `body` on the thread and waits for it, at most until a tenth of a second after `deadline`.
    func run(until deadline: Deadline, _ body: @escaping Body) -> Outcome {
        let user = Self.firstUser.load(ordering: .relaxed)
        guard getpid() == process, user == 0 || user == process else { return .refused(.forkedProcess) }
        WaitLog.note(deadline)
        return monitor.withLock {
            guard !isStopped else { return .refused(.closed) }
            guard isRunning || start() else { return .refused(.refused) }
            let job = Job(deadline, body)
            waiting.append(job)
            monitor.wakeAll()
            while !job.hasEnded, monitor.wait(until: deadline) {}
            if job.hasEnded { return .done }
            guard job.hasStarted else {
                waiting.removeAll { $0 === job }
                return .notStarted
            }
            if let cancellable = unsafe job.cancellable { unsafe secret_cancel(cancellable) }
            let end = Deadline.after(Self.grace)
            while !job.hasEnded, monitor.wait(until: end) {}
            return job.hasEnded ? .done : .abandoned
        }
    }

    /// Cancels the current job, then runs `last` and ends the thread.
    func stop(_ last: @escaping Body) {
        guard getpid() == process else { return }
        monitor.withLock {
            guard !isStopped else { return }
            isStopped = true
            if let cancellable = unsafe current?.cancellable { unsafe secret_cancel(cancellable) }
            waiting = isRunning ? [Job(.after(.seconds(1)), last)] : []
            monitor.wakeAll()
        }
    }

    // MARK: - The thread

    /// Starts the thread with all signals blocked. Called while holding the monitor.
    private func start() -> Bool {
        _ = Self.firstUser.compareExchange(expected: 0, desired: process, ordering: .relaxed)
        var all = sigset_t()
        var before = sigset_t()
        var thread = pthread_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        let reference = unsafe Unmanaged.passRetained(self)
        let result = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                // SAFETY: the other end of passRetained, taken once.
                unsafe Unmanaged<BusThread>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            },
            reference.toOpaque()
        )
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        guard result == 0 else {
            unsafe reference.release()
            return false
        }
        pthread_detach(thread)
        isRunning = true
        return true
    }

    private func work() {
        var context: OpaquePointer?
        while let job = next() {
            Syscalls.fillStandardDescriptors()
            // If a library is missing, run the job anyway: it reports that library.
            let isBound = unsafe secret_library_bind() == nil
            if isBound, unsafe context == nil { unsafe context = secret_context_enter() }
            let cancellable = unsafe isBound ? secret_cancellable_new() : nil
            monitor.withLock { unsafe job.cancellable = cancellable }
            unsafe job.body(CallLimits(deadline: job.deadline, cancellable: cancellable, context: context))
            if let context = unsafe context { unsafe secret_context_drain(context) }
            end(job)
            if let cancellable = unsafe cancellable { unsafe secret_object_unref(UnsafeMutableRawPointer(cancellable)) }
        }
        if let context = unsafe context { unsafe secret_context_leave(context) }
    }

    /// Waits for the next job; `nil` if the thread must end.
    private func next() -> Job? {
        monitor.withLock {
            while waiting.isEmpty, !isStopped { monitor.wait() }
            guard !waiting.isEmpty else {
                isRunning = false
                return nil
            }
            let job = waiting.removeFirst()
            job.hasStarted = true
            current = job
            return job
        }
    }

    private func end(_ job: Job) {
        monitor.withLock {
            job.hasEnded = true
            unsafe job.cancellable = nil
            current = nil
            monitor.wakeAll()
        }
    }
}
