internal import Glibc

/// Passes things from one thread to another, in order, a few at a time: who puts waits while it is full, who takes while
/// it is empty.
@safe package final class HandOver<Element: Sendable>: @unchecked Sendable {
    // SAFETY: everything below is only touched while `mutex` is held.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private let capacity: Int
    private var waiting: [Element] = []
    private var isClosed = false

    package init(capacity: Int) {
        self.capacity = capacity
        unsafe mutex = .allocate(capacity: 1)
        unsafe changed = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(changed, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Waits for room and puts `element` in.
    ///
    /// - Returns: false where it was closed; then it takes nothing any more.
    package func put(_ element: Element) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while waiting.count == capacity, !isClosed { unsafe pthread_cond_wait(changed, mutex) }
        guard !isClosed else { return false }
        waiting.append(element)
        unsafe pthread_cond_broadcast(changed)
        return true
    }

    /// Waits for the next element; nil where it was closed and is empty.
    package func take() -> Element? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while waiting.isEmpty, !isClosed { unsafe pthread_cond_wait(changed, mutex) }
        guard !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        unsafe pthread_cond_broadcast(changed)
        return first
    }

    /// Nothing more comes. What is in it can still be taken.
    package func close() {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        isClosed = true
        unsafe pthread_cond_broadcast(changed)
    }
}
