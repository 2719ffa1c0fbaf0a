// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A lock that a handler of `pthread_atfork` can take in the parent and release in both processes.
@safe package final class ForkableLock: @unchecked Sendable {
    // SAFETY: the mutex is used only through the C library, and lives as long as this object.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    package func lock() { unsafe pthread_mutex_lock(mutex) }

    package func unlock() { unsafe pthread_mutex_unlock(mutex) }
}
