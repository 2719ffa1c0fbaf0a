/// Pages for secrets: inaccessible pages before and behind, kept out of swap and core dumps, zero in a forked child.
@safe struct SecretMapping: ~Copyable, @unchecked Sendable {
    // SAFETY: the addresses never change; who may touch the bytes is the business of the owner.
    private let region: UnsafeMutableRawPointer
    private let regionByteCount: Int
    @unsafe let base: UnsafeMutableRawPointer
    let byteCount: Int
    /// Whether the pages are kept out of swap.
    let isLocked: Bool

    /// Maps at least `byteCount` bytes, zeroed.
    init(byteCount requested: Int) throws(SealingError) {
        let page = Syscalls.pageSize
        guard requested > 0, requested <= Int.max / 2 else { throw SealingError(.outOfMemory) }
        let byteCount = (requested + page - 1) / page * page
        guard let region = unsafe Syscalls.reserve(byteCount: byteCount + 2 * page) else {
            throw SealingError(.outOfMemory)
        }
        let base = unsafe region + page
        guard unsafe Syscalls.allowAccess(base, byteCount: byteCount) else {
            unsafe Syscalls.release(region, byteCount: byteCount + 2 * page)
            throw SealingError(.outOfMemory)
        }
        let isLocked = unsafe Syscalls.lock(base, byteCount: byteCount)
        _ = unsafe Syscalls.excludeFromCoreDumps(base, byteCount: byteCount)
        _ = unsafe Syscalls.wipeOnFork(base, byteCount: byteCount)

        unsafe self.region = region
        regionByteCount = byteCount + 2 * page
        unsafe self.base = base
        self.byteCount = byteCount
        self.isLocked = isLocked
    }

    deinit {
        unsafe Syscalls.release(region, byteCount: regionByteCount)
    }
}
