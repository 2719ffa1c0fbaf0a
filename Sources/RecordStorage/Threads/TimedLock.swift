internal import Glibc

/// A lock between threads that can be waited for until a deadline. Those who wait sleep and get it in turn.
@safe package final class TimedLock: @unchecked Sendable {
    // SAFETY: both live as long as this object, and the fields below are touched with the mutex held only.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var isHeld = false
    private var waiting: [UInt64] = []
    private var lastTicket: UInt64 = 0

    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Waits for the lock; with a deadline in the past it tries once.
    ///
    /// - Returns: false where the deadline passed first.
    package func acquire(until deadline: Deadline) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        lastTicket += 1
        let ticket = lastTicket
        waiting.append(ticket)
        while isHeld || waiting.first != ticket {
            guard sleep(until: deadline) else {
                waiting.removeAll { $0 == ticket }
                unsafe pthread_cond_broadcast(condition)
                return false
            }
        }
        waiting.removeFirst()
        isHeld = true
        return true
    }

    /// Gives the lock back.
    package func release() {
        unsafe pthread_mutex_lock(mutex)
        isHeld = false
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// - Returns: false where the deadline has passed.
    private func sleep(until deadline: Deadline) -> Bool {
        let (seconds, attoseconds) = deadline.remaining.components
        guard seconds > 0 || attoseconds > 0 else { return false }
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000)
        // Ten years are as good as for ever, and do not overflow.
        time.tv_sec += Int(min(seconds, 315_360_000)) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        _ = unsafe pthread_cond_timedwait(condition, mutex, &time)
        return true
    }
}
