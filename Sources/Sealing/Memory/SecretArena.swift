/// The process-wide memory for keys and opened secrets.
///
/// Pages between inaccessible ones, kept out of swap (as far as the limit of locked memory goes) and out of core
/// dumps, and zero in a forked child. An allocation is a search in a bitmap under a lock that few threads share; memory
/// is mapped anew only when all slabs of a shard are full. What is given back is zeroed, so memory handed out is zero.
enum SecretArena {
    private static let shardCount = 8
    private static let shards: [SecretShard] = {
        // SAFETY: without it the random generator and the ciphers are not set up; there is no way to go on.
        precondition(Sodium.isReady, "libsodium could not be initialised")
        return (0..<shardCount).map { _ in SecretShard() }
    }()

    /// Zeroed memory for `byteCount` bytes.
    static func take(byteCount: Int) throws(SealingError) -> SecretBlock {
        try SecretMemory.checkNotForked()
        guard byteCount <= SecretSlab.largestShared else { return try SecretBlock(large: byteCount) }
        let granules = (max(byteCount, 1) + SecretSlab.granuleByteCount - 1) / SecretSlab.granuleByteCount
        let rounded = GranuleMap.roundedCount(granules)
        // Stacks of threads lie at equal distances: a product spreads them over the shards.
        let home = Int((Syscalls.threadNumber &>> 12) &* 0x9E37_79B9_7F4A_7C15 &>> 61)
        for step in 0..<2 {
            let shard = shards[(home + step) % shardCount]
            if let block = try shard.takeIfUncontended(granules: rounded) { return block }
        }
        return try shards[home].take(granules: rounded)
    }

    /// Wipes memory and gives it back. In a forked child it is gone already, and locks may be held by nobody.
    static func giveBack(_ block: SecretBlock) {
        guard !SecretMemory.isForkedChild else { return }
        unsafe Sodium.wipe(block.base, byteCount: block.byteCount)
        block.slab.shard?.giveBack(block)
    }

    /// Number of shared slabs mapped now.
    static var slabCount: Int { shards.reduce(0) { $0 + $1.slabCount } }
}
