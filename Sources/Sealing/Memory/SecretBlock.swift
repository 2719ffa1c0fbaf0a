/// A piece of secret memory: where it lies and to whom it goes back.
@safe struct SecretBlock: @unchecked Sendable {
    // SAFETY: whoever holds the block owns these bytes alone, and `slab` keeps them mapped.
    @unsafe let base: UnsafeMutableRawPointer
    let byteCount: Int
    let slab: SecretSlab
    let firstGranule: Int
    let granuleCount: Int

    /// Takes a run of granules. The caller holds the lock of the slab's shard.
    @inline(always)
    init?(of granules: Int, from slab: SecretSlab) {
        guard let first = slab.map.take(granules) else { return nil }
        unsafe base = slab.mapping.base + first * SecretSlab.granuleByteCount
        byteCount = granules * SecretSlab.granuleByteCount
        self.slab = slab
        firstGranule = first
        granuleCount = granules
    }

    /// A mapping of its own, placed so that a step beyond the end meets the guard page (to within 64 bytes).
    init(large byteCount: Int) throws(SealingError) {
        slab = try SecretSlab(byteCount: byteCount, shard: nil)
        SecretMemory.note(isLocked: slab.mapping.isLocked)
        self.byteCount = (byteCount + 63) & ~63
        unsafe base = slab.mapping.base + (slab.mapping.byteCount - self.byteCount)
        firstGranule = 0
        granuleCount = 0
    }
}
