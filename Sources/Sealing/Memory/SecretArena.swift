/// The process-wide memory for keys and opened secrets.
///
/// Pages between inaccessible ones, kept out of swap (as far as the limit of locked memory goes) and out of core
/// dumps, and zero in a forked child. An allocation is one atomic operation on a bitmap that few threads share, and no
/// lock; memory is mapped anew only when all slabs of a shard are full. Memory that is given back is zeroed, so memory
/// handed out is zero.
package enum SecretArena {
    private static let shardBits = 3
    private static let shards: [SecretShard] = {
        // SAFETY: without it the random generator and the ciphers are not set up; there is no way to go on.
        precondition(Sodium.isReady, "libsodium could not be initialised")
        return (0..<1 << shardBits).map { _ in SecretShard() }
    }()

    /// Zeroed memory for `byteCount` bytes.
    static func take(byteCount: Int) throws(SealingError) -> SecretBlock {
        try SecretMemory.checkNotForked()
        guard byteCount <= SecretSlab.largestSecret else { return try SecretBlock(large: byteCount) }
        let granules = (max(byteCount, 1) + SecretSlab.granuleByteCount - 1) / SecretSlab.granuleByteCount
        // Stacks of threads lie at equal distances: a product spreads them over the shards.
        let spread = (Syscalls.threadNumber &>> 12) &* 0x9E37_79B9_7F4A_7C15
        return try shards[Int(spread &>> UInt(64 - shardBits))].take(granules: GranuleMap.roundedCount(granules))
    }

    /// Wipes memory and gives it back. In a forked child it is gone already.
    static func giveBack(_ block: SecretBlock) {
        guard !SecretMemory.isForkedChild else { return }
        block.release()
    }

    /// Number of slabs mapped, and of granules in use in them.
    package static var usage: (slabs: Int, granules: Int) {
        shards.reduce((0, 0)) { ($0.0 + $1.usage.slabs, $0.1 + $1.usage.granules) }
    }
}
