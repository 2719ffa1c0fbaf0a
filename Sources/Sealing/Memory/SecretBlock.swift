// SPDX-License-Identifier: Apache-2.0

/// A piece of secret memory, and the slab to which it returns.
@safe struct SecretBlock: @unchecked Sendable {
    // SAFETY: the block owns these bytes exclusively; a slab is never unmapped.
    @unsafe let base: UnsafeMutableRawPointer
    /// The usable size, which may exceed the requested size.
    let byteCount: Int
    /// The slab of the block; `nil` if the block is a separate mapping.
    private let slab: UnsafeMutablePointer<SecretSlab>?

    /// Creates a block from a run of granules in a slab.
    @inline(always)
    @unsafe init(_ base: UnsafeMutableRawPointer, granules: Int, slab: UnsafeMutablePointer<SecretSlab>) {
        unsafe self.base = base
        byteCount = granules * SecretSlab.granuleByteCount
        unsafe self.slab = slab
    }

    /// Creates a block as a separate mapping, aligned to its end so that an overrun hits the guard page within 64
    /// bytes.
    init(large requested: Int) throws(SealingError) {
        let mapping = try SecretMapping(byteCount: requested)
        byteCount = (requested + 63) & ~63
        unsafe base = mapping.base + (mapping.byteCount - byteCount)
        unsafe slab = nil
    }

    /// Wipes and frees the bytes. Do not use the block afterwards.
    @inline(always)
    func release() {
        unsafe Sodium.wipe(base, byteCount: byteCount)
        if let slab = unsafe slab {
            unsafe slab.pointee.free(base, granules: byteCount / SecretSlab.granuleByteCount)
        } else {
            unsafe SecretMapping.unmap(upTo: base + byteCount, byteCount: byteCount)
        }
    }
}
