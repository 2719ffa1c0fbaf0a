// SPDX-License-Identifier: Apache-2.0

/// The process-wide allocator for keys and opened secrets.
///
/// Its pages lie between guard pages, are excluded from core dumps and, up to the limit of locked memory, from swap,
/// and read as zeros in a forked child. An allocation is one atomic operation on a bitmap that few threads share,
/// without a lock. Memory is mapped only when all slabs of a shard are full. Freed memory is wiped, so allocated memory
/// is zeroed.
package enum SecretArena {
    /// Allocates `byteCount` zeroed bytes for the process of this generation.
    static func allocate(byteCount: Int, _ generation: UInt64) throws(SealingError) -> SecretBlock {
        guard byteCount <= SecretSlab.largestSecret else { return try SecretBlock(large: byteCount) }
        let granules = (max(byteCount, 1) + SecretSlab.granuleByteCount - 1) / SecretSlab.granuleByteCount
        return try SecretShards.allocate(granules: GranuleMap.roundedCount(granules), generation)
    }

    /// Wipes and frees memory. Does nothing in a forked child for the parent's memory, which is already zeroed there.
    static func free(_ block: SecretBlock, _ generation: UInt64) {
        guard SecretMemory.isCurrent(generation) else { return }
        block.release()
    }

    /// The number of mapped slabs, and of their granules in use.
    package static var usage: (slabs: Int, granules: Int) {
        SecretShards.all.reduce((0, 0)) { ($0.0 + $1.usage.slabs, $0.1 + $1.usage.granules) }
    }
}
