// SPDX-License-Identifier: Apache-2.0

/// A piece of secret memory, with its address and the allocator that it returns to.
@safe struct SecretBlock: @unchecked Sendable {
    // SAFETY: the block owns these bytes exclusively; a slab is never unmapped.
    @unsafe let base: UnsafeMutableRawPointer
    /// The usable size, which may exceed the requested size.
    let byteCount: Int
    /// `nil` if the block is a mapping of its own.
    private let slab: UnsafeMutablePointer<SecretSlab>?

    /// A run of granules in a slab.
    @inline(always)
    @unsafe init(_ base: UnsafeMutableRawPointer, granules: Int, slab: UnsafeMutablePointer<SecretSlab>) {
        unsafe self.base = base
        byteCount = granules * SecretSlab.granuleByteCount
        unsafe self.slab = slab
    }

    /// A mapping of its own, aligned to its end, so that an overrun hits the guard page (to within 64 bytes).
    init(large requested: Int) throws(SealingError) {
        let mapping = try SecretMapping(byteCount: requested)
        byteCount = (requested + 63) & ~63
        unsafe base = mapping.base + (mapping.byteCount - byteCount)
        unsafe slab = nil
    }

    /// Wipes the bytes and frees them. The block must not be used afterwards.
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
