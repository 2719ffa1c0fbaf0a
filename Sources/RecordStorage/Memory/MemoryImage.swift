/// Everything in a group at one moment. A value: copying it is cheap, changing a copy touches only what changes.
struct MemoryImage: Sendable {
    private typealias Shard = [PartitionTag: MemoryPartition]
    private typealias SearchShard = [SearchTag: Set<PartitionTag>]

    /// Tags are keyed hashes, so their low bits spread evenly. A change copies one shard and not everything.
    private static let shardCount: UInt64 = 512
    private var shards = [Shard](repeating: [:], count: Int(shardCount))
    private var searchShards = [SearchShard](repeating: [:], count: Int(shardCount))

    subscript(tag: PartitionTag) -> MemoryPartition? {
        shards[Int(tag.first % Self.shardCount)][tag]
    }

    func partitions(under tag: SearchTag) -> [PartitionTag] {
        searchShards[Int(tag.rawValue % Self.shardCount)][tag]?.sorted() ?? []
    }

    var partitions: [(tag: PartitionTag, recordCount: Int)] {
        shards.flatMap { shard in shard.map { (tag: $0.key, recordCount: $0.value.records.count) } }
    }

    /// Puts a partition in the place of the one that has this tag; one without records goes.
    mutating func replace(_ tag: PartitionTag, with partition: MemoryPartition) {
        let shard = Int(tag.first % Self.shardCount)
        let old = Set(shards[shard][tag]?.records.flatMap(\.searchTags) ?? [])
        let new = Set(partition.records.flatMap(\.searchTags))
        for name in old.subtracting(new) { changeNames(name) { $0.remove(tag) } }
        for name in new.subtracting(old) { changeNames(name) { $0.insert(tag) } }
        shards[shard][tag] = partition.records.isEmpty ? nil : partition
    }

    private mutating func changeNames(_ name: SearchTag, _ change: (inout Set<PartitionTag>) -> Void) {
        let shard = Int(name.rawValue % Self.shardCount)
        var partitions = searchShards[shard][name] ?? []
        change(&partitions)
        searchShards[shard][name] = partitions.isEmpty ? nil : partitions
    }
}

/// One version of a record in memory.
struct MemoryRecord: Sendable {
    let stored: StoredRecord
    let facts: [UInt8]
    let secret: MemoryBox?
    let searchTags: [SearchTag]
}

/// What a handle knows of a group: one of its states.
struct MemoryView: Sendable {
    var sequence: UInt64
    var epoch: UInt32
    var image: MemoryImage
    /// What is different from the state that was known before.
    var changes: StoreChanges
}
