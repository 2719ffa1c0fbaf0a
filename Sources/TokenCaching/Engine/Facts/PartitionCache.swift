internal import ByteOperations
internal import RecordStorage

/// The facts of the partitions that were used last, found by partition and, for accounts, by home account id.
///
/// Facts of a partition that changed stay until they are read anew: most of its records did not change, so the new facts
/// begin from them. What is kept is bounded by count and by bytes; what was not used since the hand of a clock came by goes
/// first. Lookups by a query that stands do not come here: its answer holds the facts.
struct PartitionCache: Sendable {
    private struct Entry: Sendable {
        var facts: PartitionFacts
        /// Whether the partition did not change since.
        var isCurrent: Bool
        /// Where the clock has it.
        var position: Int
    }

    private var entries: [PartitionTag: Entry] = [:]
    private var byAccount: [UInt64: LoadedAccount] = [:]
    /// Every partition once.
    private var clock: [PartitionTag] = []
    private var hand = 0
    private var byteCount = 0

    private let largestCount: Int
    private let largestByteCount: Int

    /// How many used ones the hand passes over at most before it takes one all the same: nobody waits long.
    private static let perItemDeadlines = 64

    init(largestCount: Int = 131_072, largestByteCount: Int = 256 << 20) {
        self.largestCount = largestCount
        self.largestByteCount = largestByteCount
    }

    /// How many partitions are kept.
    var count: Int { clock.count }

    /// The facts of a partition as of now.
    func facts(of partition: PartitionTag) -> PartitionFacts? {
        guard let entry = entries[partition], entry.isCurrent else { return nil }
        entry.facts.noteUse()
        return entry.facts
    }

    /// The facts of a partition, whether or not it changed since they were read.
    func lastFacts(of partition: PartitionTag) -> PartitionFacts? { entries[partition]?.facts }

    /// The facts of the account with this home account id, folded, whose hash was worked out already.
    func facts(ofAccount homeAccountID: RawSpan, hash: UInt64) -> PartitionFacts? {
        guard let account = byAccount[hash] else { return nil }
        account.prefetch()
        let facts = account.facts
        guard facts.span(facts.homeAccountID).isEqual(to: homeAccountID) else { return nil }
        facts.noteUse()
        return facts
    }

    /// Puts in the facts of a partition as of now. They count as used from the first time that they are found here: one
    /// look at each of very many accounts does not push out those in use.
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

    /// Notes that a partition changed.
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
            guard passed < Self.perItemDeadlines, entries[partition]?.facts.takeUse() == true else {
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
