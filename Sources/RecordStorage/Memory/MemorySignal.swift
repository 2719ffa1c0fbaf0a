// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Counts events and wakes the threads that wait for the next one.
@safe final class MemorySignal: @unchecked Sendable {
    // SAFETY: both live as long as this object, and the count is touched with the mutex held only.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var count: UInt64 = 0

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// The number of events so far.
    var value: UInt64 {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return count
    }

    /// Increments the count if `counting` is true, and makes all waiting threads check again.
    func raise(counting: Bool = true) {
        unsafe pthread_mutex_lock(mutex)
        if counting { count &+= 1 }
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Waits until the count differs from `seen` or `isOver` returns true, and returns the count.
    func wait(after seen: UInt64, orUntil isOver: () -> Bool) -> UInt64 {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while count == seen, !isOver() { unsafe pthread_cond_wait(condition, mutex) }
        return count
    }
}
