// SPDX-License-Identifier: Apache-2.0

/// Pages for secrets, between guard pages, kept out of swap and core dumps, and zeroed in a forked child.
@safe struct SecretMapping {
    // SAFETY: plain numbers about a mapping; who may touch the bytes is the business of the owner.
    @unsafe let base: UnsafeMutableRawPointer
    let byteCount: Int
    /// Whether the pages are kept out of swap.
    let isLocked: Bool

    /// Maps at least `requested` zeroed bytes.
    init(byteCount requested: Int) throws(SealingError) {
        guard requested > 0, requested <= Int.max / 2 else { throw SealingError(.outOfMemory) }
        let page = Syscalls.pageSize
        byteCount = Self.rounded(requested)
        guard let region = unsafe Syscalls.reserve(byteCount: byteCount + 2 * page) else {
            throw SealingError(.outOfMemory)
        }
        unsafe base = region + page
        guard unsafe Syscalls.allowAccess(base, byteCount: byteCount) else {
            unsafe Syscalls.release(region, byteCount: byteCount + 2 * page)
            throw SealingError(.outOfMemory)
        }
        isLocked = unsafe Syscalls.lock(base, byteCount: byteCount)
        _ = unsafe Syscalls.excludeFromCoreDumps(base, byteCount: byteCount)
        _ = unsafe Syscalls.wipeOnFork(base, byteCount: byteCount)
        SecretMemory.note(isLocked: isLocked)
    }

    /// Unmaps a mapping of `requested` bytes, including the guard pages.
    ///
    /// - Parameters:
    ///   - end: the end of the accessible pages.
    ///   - requested: the number of bytes requested.
    @unsafe static func unmap(upTo end: UnsafeMutableRawPointer, byteCount requested: Int) {
        let page = Syscalls.pageSize
        let byteCount = rounded(requested) + 2 * page
        unsafe Syscalls.release(end + page - byteCount, byteCount: byteCount)
    }

    private static func rounded(_ byteCount: Int) -> Int {
        let page = Syscalls.pageSize
        return (byteCount + page - 1) / page * page
    }
}
