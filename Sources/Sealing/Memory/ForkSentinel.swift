import Synchronization

/// A page that the kernel zeroes in a forked child: one load tells whether this is the process that made its keys.
@safe package final class ForkSentinel: Sendable {
    // SAFETY: the page is never unmapped, and all access is atomic.
    private nonisolated(unsafe) let word: UnsafePointer<Atomic<UInt64>>
    /// Where the kernel does not zero pages on fork (before 4.14), the process id is compared instead.
    private let fallbackProcessID: Int32?

    /// - Parameter usesProcessID: compares process ids even where the kernel could do better.
    package init(usesProcessID: Bool = false) {
        let size = Syscalls.pageSize
        // SAFETY: one page at the start of the process; where there is none nothing else could run either.
        guard let page = unsafe Syscalls.reserve(byteCount: size), unsafe Syscalls.allowAccess(page, byteCount: size)
        else { preconditionFailure("no memory for a single page") }
        unsafe page.storeBytes(of: 1, as: UInt64.self)
        let isWiped = unsafe Syscalls.wipeOnFork(page, byteCount: size)
        unsafe word = UnsafePointer(page.assumingMemoryBound(to: Atomic<UInt64>.self))
        fallbackProcessID = isWiped && !usesProcessID ? nil : Syscalls.processID
    }

    @inline(always)
    package var isForkedChild: Bool {
        if unsafe word.pointee.load(ordering: .relaxed) == 0 { return true }
        guard let fallbackProcessID else { return false }
        return fallbackProcessID != Syscalls.processID
    }
}
