// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemPackage

/// The descriptors that carry this process's locks, and the mutex that guards opening and closing them.
///
/// A forked child shares its parent's open files and thus the locks, which would outlive the parent. So the child
/// closes these descriptors before it does anything else. The mutex is held across the fork, so that no descriptor is
/// half opened at that moment.
@safe final class ForkGuard: @unchecked Sendable {
    // SAFETY: all of it is touched with the mutex held, or in a child before it has a second thread.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let slots: UnsafeMutablePointer<Int32>
    private var generation: UInt64 = 0

    private static let slotCount = 4096

    static let shared = ForkGuard()

    /// An index in the table of descriptors.
    struct Slot: Hashable, Sendable {
        let index: Int
        /// A count of forks: a slot filled before a fork does not belong to the child.
        let generation: UInt64
    }

    private init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe slots = .allocate(capacity: Self.slotCount)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe slots.initialize(repeating: -1, count: Self.slotCount)
        unsafe pthread_mutex_init(mutex, nil)
        initializeCondition()
        pthread_atfork(
            { ForkGuard.shared.lock() },
            { ForkGuard.shared.unlock() },
            { ForkGuard.shared.isChildNow() }
        )
    }

    func lock() {
        unsafe pthread_mutex_lock(mutex)
    }

    func unlock() {
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Waits for ``wakeAll()``, at most `nanoseconds`. The caller holds the mutex before and after.
    func wait(nanoseconds: Int64) {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let sum = Int64(time.tv_nsec) + nanoseconds
        time.tv_sec += Int(sum / 1_000_000_000)
        time.tv_nsec = Int(sum % 1_000_000_000)
        _ = unsafe pthread_cond_timedwait(condition, mutex, &time)
    }

    /// Wakes all waiting threads. The caller holds the mutex.
    func wakeAll() {
        unsafe pthread_cond_broadcast(condition)
    }

    /// The number of forks. The caller holds the mutex.
    var currentGeneration: UInt64 { generation }

    /// Opens a file and records its descriptor; `nil` if the table is full.
    func adopt(_ open: () throws(Errno) -> FileDescriptor) throws(Errno) -> (FileDescriptor, Slot)? {
        lock()
        defer { unlock() }
        guard let index = (0..<Self.slotCount).first(where: { unsafe slots[$0] == -1 }) else { return nil }
        let file = try open()
        unsafe slots[index] = file.rawValue
        return (file, Slot(index: index, generation: generation))
    }

    /// Passes the descriptor to `body`, then closes and forgets it. Does nothing in a child.
    func discard(_ slot: Slot, _ body: (FileDescriptor) -> Void) {
        lock()
        defer { unlock() }
        guard slot.generation == generation, unsafe slots[slot.index] != -1 else { return }
        let file = FileDescriptor(rawValue: unsafe slots[slot.index])
        body(file)
        Syscalls.close(file)
        unsafe slots[slot.index] = -1
    }

    private func isChildNow() {
        // A `for` loop over a range asks the Swift library for a type in a debug build, under a lock that another thread may
        // have held during the fork.
        var index = 0
        while index < Self.slotCount {
            if unsafe slots[index] != -1 {
                _ = Glibc.close(unsafe slots[index])
                unsafe slots[index] = -1
            }
            index += 1
        }
        generation += 1
        // Reset the condition, because a child has no waiting threads.
        initializeCondition()
        unlock()
    }

    private func initializeCondition() {
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }
}
