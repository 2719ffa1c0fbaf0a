// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Detects forks with a single load, from a page that the kernel zeroes in a forked child.
///
/// The page contains the generation number of the process. A value records the generation in which it was created, and
/// belongs to this process as long as the page contains the same number. In a child the page reads as zero, which is
/// not a valid number, and the child gets its own number when it first creates a value.
@safe package final class ForkSentinel: Sendable {
    // SAFETY: the page is never unmapped, and all access is atomic.
    private nonisolated(unsafe) let word: UnsafePointer<Atomic<UInt64>>
    /// Whether to compare the process id within the number too, as needed on kernels that do not zero pages on fork
    /// (before 4.14).
    private let comparesProcessID: Bool
    /// The last assigned number, which a child inherits.
    private let last = Atomic<UInt64>(0)

    /// - Parameter usesProcessID: whether to compare process ids even if the kernel zeroes pages on fork.
    package init(usesProcessID: Bool = false) {
        let size = Syscalls.pageSize
        // SAFETY: one page at the start of the process; without memory for it nothing else could run.
        guard let page = unsafe Syscalls.reserve(byteCount: size), unsafe Syscalls.allowAccess(page, byteCount: size)
        else { preconditionFailure("no memory for a single page") }
        let isWiped = usesProcessID ? false : unsafe Syscalls.wipeOnFork(page, byteCount: size)
        unsafe word = UnsafePointer(page.assumingMemoryBound(to: Atomic<UInt64>.self))
        comparesProcessID = !isWiped
    }

    /// The generation of this process; never 0.
    @inline(always)
    package var generation: UInt64 {
        let known = unsafe word.pointee.load(ordering: .relaxed)
        return known != 0 && !isOfParent(known) ? known : begin(after: known)
    }

    /// Whether a value created in `generation` was created by this process.
    @inline(always)
    package func isCurrent(_ generation: UInt64) -> Bool {
        unsafe word.pointee.load(ordering: .relaxed) == generation && !isOfParent(generation)
    }

    @inline(always)
    private func isOfParent(_ generation: UInt64) -> Bool {
        comparesProcessID && UInt32(truncatingIfNeeded: generation) != UInt32(bitPattern: Syscalls.processID)
    }

    /// Assigns this process its number, which combines a counter and the process id, so that two children of one parent
    /// have different numbers.
    @inline(never)
    private func begin(after known: UInt64) -> UInt64 {
        let count = last.load(ordering: .relaxed) >> 32 &+ 1
        let new = count << 32 | UInt64(UInt32(bitPattern: Syscalls.processID))
        let (isNew, found) = unsafe word.pointee.compareExchange(
            expected: known,
            desired: new,
            ordering: .acquiringAndReleasing
        )
        // Another thread may have assigned the number first.
        guard isNew else { return found }
        last.store(new, ordering: .relaxed)
        return new
    }
}
