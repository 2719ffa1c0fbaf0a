// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A mutex with a condition: threads access the guarded state one at a time, and can sleep until another thread changes
/// it.
///
/// Waits use a monotonic clock, so setting back the system clock does not prolong them.
@safe package final class Monitor: @unchecked Sendable {
    // SAFETY: both live as long as this object and are only handed to the calls that are made for them.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    /// The maximum wait in seconds: ten years, which are effectively forever and do not overflow.
    private static let longestWait: Int64 = 315_360_000

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

    /// Runs `body` while holding the mutex.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Sleeps until another thread calls ``wakeAll()``; spurious wake-ups are possible. The caller must hold the mutex,
    /// which is released meanwhile.
    package func wait() {
        unsafe pthread_cond_wait(condition, mutex)
    }

    /// Like ``wait()``, but only until `deadline`.
    ///
    /// - Returns: false at once if the deadline has passed.
    package func wait(until deadline: Deadline) -> Bool {
        let (seconds, attoseconds) = deadline.remaining.components
        guard seconds > 0 || attoseconds > 0 else { return false }
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000)
        time.tv_sec += Int(min(seconds, Self.longestWait)) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        _ = unsafe pthread_cond_timedwait(condition, mutex, &time)
        return true
    }

    /// Wakes all sleeping threads.
    package func wakeAll() {
        unsafe pthread_cond_broadcast(condition)
    }
}
