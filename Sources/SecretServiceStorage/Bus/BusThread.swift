// SPDX-License-Identifier: Apache-2.0

internal import CSecretService
internal import Glibc
internal import RecordStorage
internal import Synchronization

/// Runs the jobs of one client in order, on a thread of its own with its own GLib context.
///
/// A caller waits for its job until the deadline and no longer: then the job's calls are cancelled, and if even that
/// does not end it, the job is abandoned. The program needs no main loop.
@safe final class BusThread: @unchecked Sendable {
    // SAFETY: all fields are touched inside the monitor only.
    private let monitor = Monitor()
    private var waiting: [Job] = []
    private var current: Job?
    private var isRunning = false
    private var isStopped = false
    private let process = getpid()
    /// The first process in which GLib started its own threads: a forked child inherits their locks but not the
    /// threads, so no call would ever return there. 0 if there is none.
    private static let firstUser = Atomic<Int32>(0)

    /// A job, which is passed its limits. It runs on the thread.
    typealias Body = @Sendable (CallLimits) -> Void

    /// The time after the deadline in which cancelled calls may return.
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
        /// The job never began.
        case notStarted
        /// The job began, and may still be running.
        case abandoned
        /// There is no thread: the client was closed, the system cannot create one, or this is a forked child.
        case refused(SecretServiceError.Code)
    }

    /// Runs `body` on the thread and waits for it until `deadline` plus a tenth of a second.
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

    /// Cancels the current job and ends the thread after it, running `last` first.
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
            // Without the libraries, each job reports what is missing.
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

    /// Waits for the next job; `nil` if there will be none.
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
