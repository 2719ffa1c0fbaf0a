// SPDX-License-Identifier: Apache-2.0

import Synchronization

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

/// The shards of one process. A forked child gets its own, because inherited slabs are not locked into its memory, and
/// their locks may be held by threads that do not exist in the child.
struct SecretShards: Sendable {
    // SAFETY: the memory it points to is never changed or freed, so its address stays valid.
    private nonisolated(unsafe) static let current = unsafe Atomic<UnsafeMutablePointer<SecretShards>?>(nil)
    private static let shardBits = 3

    private let generation: UInt64
    private let shards: [SecretShard]

    private init(_ generation: UInt64) {
        // SAFETY: without it the random generator and the ciphers are not set up; the process cannot continue.
        precondition(Sodium.isReady, "libsodium could not be initialised")
        self.generation = generation
        shards = (0..<1 << Self.shardBits).map { _ in SecretShard() }
    }

    /// Allocates a run of granules, a rounded count, for the process of this generation.
    @inline(always)
    static func allocate(granules: Int, _ generation: UInt64) throws(SealingError) -> SecretBlock {
        // Multiply to spread threads over the shards, because thread stacks are evenly spaced.
        let spread = (Syscalls.threadNumber &>> 12) &* 0x9E37_79B9_7F4A_7C15
        let index = Int(spread &>> UInt(64 - shardBits))
        if let known = unsafe current.load(ordering: .acquiring), unsafe known.pointee.generation == generation {
            return unsafe try known.pointee.shards[index].allocate(granules: granules)
        }
        return unsafe try make(generation).pointee.shards[index].allocate(granules: granules)
    }

    /// All shards of this process.
    static var all: [SecretShard] { unsafe make(SecretMemory.generation).pointee.shards }

    @inline(never)
    private static func make(_ generation: UInt64) -> UnsafeMutablePointer<SecretShards> {
        let known = unsafe current.load(ordering: .acquiring)
        if let known = unsafe known, unsafe known.pointee.generation == generation { return unsafe known }
        let made = UnsafeMutablePointer<SecretShards>.allocate(capacity: 1)
        unsafe made.initialize(to: SecretShards(generation))
        let (isNew, found) = unsafe current.compareExchange(
            expected: known,
            desired: made,
            ordering: .acquiringAndReleasing
        )
        if isNew { return unsafe made }
        unsafe made.deinitialize(count: 1)
        unsafe made.deallocate()
        // Another thread of this process made the shards first.
        guard let found = unsafe found else { preconditionFailure("shards are never deallocated") }
        return unsafe found
    }
}
