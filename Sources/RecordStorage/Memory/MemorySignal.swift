// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Counts the changes of a group in memory, and wakes the threads that wait for the next one. The count is the revision
/// word of the group.
@safe final class MemorySignal: @unchecked Sendable {
    // SAFETY: the memory lives as long as this object and is accessed atomically.
    private let count: UnsafeMutablePointer<Atomic<UInt64>>
    private let monitor = Monitor()

    init() {
        unsafe count = .allocate(capacity: 1)
        unsafe count.initialize(to: Atomic(0))
    }

    deinit {
        unsafe count.deinitialize(count: 1)
        unsafe count.deallocate()
    }

    var word: RevisionWord {
        unsafe RevisionWord(unsafeAddress: UnsafePointer(count))
    }

    /// Counts a change.
    func raise() {
        unsafe count.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing)
        wake()
    }

    /// Makes all waiting threads check again.
    func wake() { monitor.withLock { monitor.wakeAll() } }

    /// Waits until the count differs from `seen` or `isOver` returns true, and returns the count.
    func wait(after seen: UInt64, orUntil isOver: () -> Bool) -> UInt64 {
        monitor.withLock {
            while word.load() == seen, !isOver() { monitor.wait() }
            return word.load()
        }
    }
}
