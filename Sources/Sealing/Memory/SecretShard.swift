// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A part of the arena that few threads use.
@safe final class SecretShard: @unchecked Sendable {
    // SAFETY: slabs are never unmapped, so an address once read stays valid.
    private let newest = unsafe Atomic<UnsafeMutablePointer<SecretSlab>?>(nil)
    /// A hint at where to search: the slab in which memory was last found.
    private let current = unsafe Atomic<UnsafeMutablePointer<SecretSlab>?>(nil)
    private let growth = Mutex(())

    /// Allocates a run of granules, a rounded count.
    @inline(always)
    func allocate(granules: Int) throws(SealingError) -> SecretBlock {
        if let slab = unsafe current.load(ordering: .acquiring),
            let address = unsafe slab.pointee.allocate(granules: granules)
        {
            return unsafe SecretBlock(address, granules: granules, slab: slab)
        }
        return try allocateFromOtherSlab(granules: granules)
    }

    @inline(never)
    private func allocateFromOtherSlab(granules: Int) throws(SealingError) -> SecretBlock {
        if let block = find(granules: granules) { return block }
        return try growth.withLock { _ throws(SealingError) in
            // Search again, because another thread may have added a slab in the meantime.
            if let block = find(granules: granules) { return block }
            let slab = unsafe try SecretSlab.make(before: newest.load(ordering: .acquiring))
            guard let address = unsafe slab.pointee.allocate(granules: granules) else {
                throw SealingError(.outOfMemory)
            }
            unsafe newest.store(slab, ordering: .releasing)
            unsafe current.store(slab, ordering: .releasing)
            return unsafe SecretBlock(address, granules: granules, slab: slab)
        }
    }

    private func find(granules: Int) -> SecretBlock? {
        var candidate = unsafe newest.load(ordering: .acquiring)
        while let slab = unsafe candidate {
            if let address = unsafe slab.pointee.allocate(granules: granules) {
                unsafe current.store(slab, ordering: .releasing)
                return unsafe SecretBlock(address, granules: granules, slab: slab)
            }
            unsafe candidate = slab.pointee.next
        }
        return nil
    }

    /// The number of slabs, and of their granules in use.
    var usage: (slabs: Int, granules: Int) {
        var usage = (slabs: 0, granules: 0)
        var candidate = unsafe newest.load(ordering: .acquiring)
        while let slab = unsafe candidate {
            usage.slabs += 1
            usage.granules += unsafe slab.pointee.usedCount
            unsafe candidate = slab.pointee.next
        }
        return usage
    }
}
