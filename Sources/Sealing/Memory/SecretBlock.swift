/// A piece of secret memory: where it lies and to whom it goes back.
@safe struct SecretBlock: @unchecked Sendable {
    // SAFETY: whoever holds the block owns these bytes alone; a slab is never unmapped.
    @unsafe let base: UnsafeMutableRawPointer
    /// All bytes that belong to the block.
    let byteCount: Int
    /// `nil` for a mapping of its own.
    private let slab: UnsafeMutablePointer<SecretSlab>?

    /// A run of granules in a slab.
    @inline(always)
    @unsafe init(_ base: UnsafeMutableRawPointer, granules: Int, slab: UnsafeMutablePointer<SecretSlab>) {
        unsafe self.base = base
        byteCount = granules * SecretSlab.granuleByteCount
        unsafe self.slab = slab
    }

    /// A mapping of its own, placed so that a step beyond the end meets the inaccessible page (to within 64 bytes).
    init(large requested: Int) throws(SealingError) {
        let mapping = try SecretMapping(byteCount: requested)
        byteCount = (requested + 63) & ~63
        unsafe base = mapping.base + (mapping.byteCount - byteCount)
        unsafe slab = nil
    }

    /// Wipes the bytes and gives them back. Nobody may use the block afterwards.
    @inline(always)
    func release() {
        unsafe Sodium.wipe(base, byteCount: byteCount)
        if let slab = unsafe slab {
            unsafe slab.pointee.giveBack(base, granules: byteCount / SecretSlab.granuleByteCount)
        } else {
            unsafe SecretMapping.unmap(upTo: base + byteCount, byteCount: byteCount)
        }
    }
}
