// SPDX-License-Identifier: Apache-2.0

// SAFETY: the address is only prefetched, never read through, and `facts` keeps the object alive.

internal import ByteOperations
internal import RecordStorage

/// The facts of the most recently used partitions, by partition and, for accounts, by home account id.
///
/// Facts of a changed partition stay until they are read again: most of its records did not change, so the new facts
/// reuse them. The cache is bounded in count and bytes, and evicts by a clock algorithm: facts that were not used since
/// the hand's last pass go first. A query whose answer is still valid does not use this cache, because its answer
/// retains the facts.
struct PartitionCache: Sendable {
    private struct Entry: Sendable {
        var facts: PartitionFacts
        /// Whether the partition has not changed since.
        var isCurrent: Bool
        /// Its index in the clock.
        var position: Int
    }

    private var entries: [PartitionTag: Entry] = [:]
    private var byAccount: [UInt64: LoadedAccount] = [:]
    /// Each partition once.
    private var clock: [PartitionTag] = []
    private var hand = 0
    private var byteCount = 0

    private let largestCount: Int
    private let largestByteCount: Int

    /// The maximum number of used partitions that the hand passes over before it evicts one anyway, so that no caller
    /// waits long.
    private static let passLimit = 64

    init(largestCount: Int = 131_072, largestByteCount: Int = 256 << 20) {
        self.largestCount = largestCount
        self.largestByteCount = largestByteCount
    }

    /// The number of cached partitions.
    var count: Int { clock.count }

    /// The current facts of a partition.
    func facts(of partition: PartitionTag) -> PartitionFacts? {
        guard let entry = entries[partition], entry.isCurrent else { return nil }
        entry.facts.noteUse()
        return entry.facts
    }

    /// The facts of a partition, even if it changed since they were read.
    func lastFacts(of partition: PartitionTag) -> PartitionFacts? { entries[partition]?.facts }

    /// The facts of the account with this home account id, folded, whose hash is already computed.
    func facts(ofAccount homeAccountID: RawSpan, hash: UInt64) -> PartitionFacts? {
        guard let account = byAccount[hash] else { return nil }
        account.prefetch()
        let facts = account.facts
        guard facts.span(facts.homeAccountID).isEqual(to: homeAccountID) else { return nil }
        facts.noteUse()
        return facts
    }

    /// Caches the current facts of a partition. They count as used only when they are found here again: looking once at
    /// each of very many accounts must not evict those in use.
    mutating func keep(_ facts: PartitionFacts) {
        remove(facts.partition)
        while !clock.isEmpty, clock.count >= largestCount || byteCount + facts.byteCount > largestByteCount {
            removeOne()
        }
        entries[facts.partition] = Entry(facts: facts, isCurrent: true, position: clock.count)
        clock.append(facts.partition)
        byteCount += facts.byteCount
        if let hash = facts.accountHash { byAccount[hash] = LoadedAccount(facts) }
    }

    /// Records that a partition changed.
    mutating func outdate(_ partition: PartitionTag) {
        guard let entry = entries[partition], entry.isCurrent else { return }
        entries[partition]?.isCurrent = false
        forgetAccount(of: entry.facts)
    }

    mutating func remove(_ partition: PartitionTag) {
        guard let entry = entries.removeValue(forKey: partition) else { return }
        forgetAccount(of: entry.facts)
        byteCount -= entry.facts.byteCount
        let last = clock.removeLast()
        guard last != partition else { return }
        clock[entry.position] = last
        entries[last]?.position = entry.position
    }

    mutating func removeAll() {
        entries.removeAll()
        byAccount.removeAll()
        clock.removeAll()
        (hand, byteCount) = (0, 0)
    }

    private mutating func removeOne() {
        var passed = 0
        while true {
            if hand >= clock.count { hand = 0 }
            let partition = clock[hand]
            guard passed < Self.passLimit, entries[partition]?.facts.takeUse() == true else {
                return remove(partition)
            }
            passed += 1
            hand += 1
        }
    }

    private mutating func forgetAccount(of facts: PartitionFacts) {
        if let hash = facts.accountHash, byAccount[hash]?.facts === facts { byAccount[hash] = nil }
    }
}

/// The facts of an account in a table, with their location in memory.
///
/// With many accounts, most are not in the processor's caches. So all of an account's facts are prefetched at once,
/// instead of waiting for memory at each step of a lookup: the object, the memory that it points to, each row and text.
struct LoadedAccount: Sendable {
    let facts: PartitionFacts
    private let contents: MemoryExtent

    /// For accounts of usual size lookups read no more than this. The rest of larger ones is read sequentially, which
    /// processors predict.
    private static let prefetchLimit = 2048

    init(_ facts: PartitionFacts) {
        self.facts = facts
        contents = facts.extent
    }

    /// Prefetches the cache lines that a lookup touches.
    func prefetch() {
        let address = unsafe Unmanaged.passUnretained(facts).toOpaque()
        let object = unsafe MemoryExtent(address, byteCount: PartitionFacts.objectByteCount)
        object.prefetch(limit: Self.prefetchLimit)
        contents.prefetch(limit: Self.prefetchLimit)
    }
}
