internal import Glibc

/// Hands values from one thread to another, at most two of them waiting.
@safe final class Handover<Value: Sendable>: @unchecked Sendable {
    // SAFETY: the queue and its end are touched under the mutex only; the three objects live as long as this one.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var waiting: [Value] = []
    private var isClosed = false
    private static var capacity: Int { 2 }

    init() {
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

    /// Hands a value over, waiting for room. After ``close()`` it is dropped.
    func give(_ value: Value) {
        locked {
            while waiting.count >= Self.capacity, !isClosed { unsafe pthread_cond_wait(changed, mutex) }
            if !isClosed { waiting.append(value) }
        }
    }

    /// The next value, waiting for one; `nil` where there are none and there will be none.
    func take() -> Value? {
        locked {
            while waiting.isEmpty, !isClosed { unsafe pthread_cond_wait(changed, mutex) }
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }
    }

    /// There will be no more values.
    func close() {
        locked { isClosed = true }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(changed)
            unsafe pthread_mutex_unlock(mutex)
        }
        return body()
    }
}
