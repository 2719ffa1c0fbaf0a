// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import RecordStorage
internal import Synchronization

/// A few threads for steps that block briefly, such as reading a store, so that they do not occupy a thread of Swift's
/// pool.
///
/// No work here waits for a lease, a prompt or the user, or runs a caller's closure: that could occupy a thread for any
/// length of time. At most ``limit`` threads serve the queue. The holder of a lease does not queue, because other
/// callers wait for that lease: its steps get an extra thread if all are in use. A thread that stays idle for a while
/// ends.
final class BlockingPool: @unchecked Sendable {
    // SAFETY: everything that is not constant is accessed only inside the monitor.
    private let monitor = Monitor()
    private var queue: [Job] = []
    private var threadCount = 0
    private var idleCount = 0
    private var lastNumber: UInt64 = 0
    /// The process whose threads serve the queue.
    private let process = getpid()
    /// How long a thread stays idle before it ends.
    private let idleTime: Duration

    /// The number of threads that serve the queue: enough that one hanging store does not stop the others at once.
    static let limit = 8

    private struct Job: Sendable {
        let number: UInt64
        let work: @Sendable () -> Void
    }

    init(idleTime: Duration = .seconds(5)) {
        self.idleTime = idleTime
    }

    /// For tests: the number of idle threads.
    var idleThreadCount: Int { monitor.withLock { idleCount } }

    /// Runs `work` on a thread of the pool and waits for it without blocking the caller's thread.
    ///
    /// - Parameters:
    ///   - isUrgent: whether other callers wait for this, so that it must not queue.
    ///   - deadline: how long it may queue.
    ///   - work: the work, which ends by its own deadline.
    /// - Returns: the result of `work`.
    /// - Throws: `timeout` if no thread was free by the deadline; then nothing was done.
    nonisolated(nonsending) func run<Value: Sendable>(
        isUrgent: Bool = false,
        until deadline: Deadline,
        _ work: @escaping @Sendable () throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        var timer: Task<Void, Never>?
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome<Value>, Never>) in
            let queued = start(isUrgent: isUrgent) {
                continuation.resume(returning: Outcome { () throws(StorageError) in try work() })
            }
            guard let queued else { return }
            timer = Task.detached { [self] in
                try? await Task.sleep(for: deadline.remaining)
                guard withdraw(queued) else { return }
                let error = StorageError(.timeout, detail: "all threads for blocking reads are busy")
                continuation.resume(returning: .failure(error))
            }
        }
        timer?.cancel()
        return try outcome.get()
    }

    private typealias Outcome<Value> = Swift.Result<Value, StorageError>

    /// Runs `work` on a thread of the pool.
    ///
    /// - Returns: its number if all threads are in use, so that it may have to wait.
    @discardableResult
    func start(isUrgent: Bool = false, _ work: @escaping @Sendable () -> Void) -> UInt64? {
        let (queued, needsThread) = monitor.withLock { () -> (UInt64?, Bool) in
            let isAnyIdle = idleCount > queue.count
            guard isAnyIdle || (threadCount >= Self.limit && !isUrgent) else {
                threadCount += 1
                return (nil, true)
            }
            lastNumber += 1
            queue.append(Job(number: lastNumber, work: work))
            monitor.wakeAll()
            return (isAnyIdle ? nil : lastNumber, false)
        }
        if needsThread, !DedicatedThread.startIfPossible({ [self] in serve(first: work) }) {
            monitor.withLock { threadCount -= 1 }
            // Run the work on this thread, rather than never.
            work()
        }
        return queued
    }

    /// Withdraws a job that no thread has begun.
    private func withdraw(_ number: UInt64) -> Bool {
        monitor.withLock {
            guard let index = queue.firstIndex(where: { $0.number == number }) else { return false }
            queue.remove(at: index)
            return true
        }
    }

    private func serve(first work: @Sendable () -> Void) {
        work()
        while let job = next() { job.work() }
    }

    /// Waits for the next job; nil if the thread must end.
    private func next() -> Job? {
        monitor.withLock {
            let end = Deadline.after(idleTime)
            while queue.isEmpty, threadCount <= Self.limit {
                idleCount += 1
                defer { idleCount -= 1 }
                guard monitor.wait(until: end) else { break }
            }
            if queue.isEmpty {
                threadCount -= 1
                return nil
            }
            return queue.removeFirst()
        }
    }
}

extension BlockingPool {
    /// Owns one reference forever: a parent process's pool is leaked in a child.
    private static let current = unsafe Atomic<Unmanaged<BlockingPool>?>(nil)

    /// The pool of this process. A forked child has none of its parent's threads, so it gets its own pool.
    static var shared: BlockingPool {
        // SAFETY: a reference that was put there is never released.
        let known = unsafe current.load(ordering: .acquiring)
        if let pool = unsafe known?.takeUnretainedValue(), pool.process == getpid() { return pool }
        let new = unsafe Unmanaged.passRetained(BlockingPool())
        let (isNew, found) = unsafe current.compareExchange(
            expected: known,
            desired: new,
            ordering: .acquiringAndReleasing
        )
        if !isNew, let other = unsafe found {
            unsafe new.release()
            return unsafe other.takeUnretainedValue()
        }
        return unsafe new.takeUnretainedValue()
    }
}
