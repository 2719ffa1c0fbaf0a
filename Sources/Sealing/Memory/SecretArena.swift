/// The process-wide memory for keys and opened secrets.
///
/// Pages between inaccessible ones, kept out of swap (as far as the limit of locked memory goes) and out of core
/// dumps, and zero in a forked child. An allocation is one atomic operation on a bitmap that few threads share, and no
/// lock; memory is mapped anew only when all slabs of a shard are full. Memory that is given back is zeroed, so memory
/// handed out is zero.
package enum SecretArena {
    /// Zeroed memory for `byteCount` bytes, for the process of this generation.
    static func take(byteCount: Int, _ generation: UInt64) throws(SealingError) -> SecretBlock {
        guard byteCount <= SecretSlab.largestSecret else { return try SecretBlock(large: byteCount) }
        let granules = (max(byteCount, 1) + SecretSlab.granuleByteCount - 1) / SecretSlab.granuleByteCount
        return try SecretShards.take(granules: GranuleMap.roundedCount(granules), generation)
    }

    /// Wipes memory and gives it back. In a forked child that of the parent is gone already.
    static func giveBack(_ block: SecretBlock, _ generation: UInt64) {
        guard SecretMemory.isCurrent(generation) else { return }
        block.release()
    }

    /// Number of slabs mapped, and of granules in use in them.
    package static var usage: (slabs: Int, granules: Int) {
        SecretShards.all.reduce((0, 0)) { ($0.0 + $1.usage.slabs, $0.1 + $1.usage.granules) }
    }
}
