// SPDX-License-Identifier: Apache-2.0

/// The contents of a group at one point in time. It is a value that is cheap to copy, and changing it copies only the
/// changed shards.
struct MemoryImage: Sendable {
    private typealias Shard = [PartitionTag: MemoryPartition]
    private typealias SearchShard = [SearchTag: Set<PartitionTag>]

    /// The number of shards. A change copies one shard instead of all partitions. Tags are keyed hashes, so their low
    /// bits are evenly distributed.
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

    /// Replaces the partition with this tag, or removes it if `partition` has no records.
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

/// The state of a group, as read by a handle.
struct MemoryView: Sendable {
    var sequence: UInt64
    var epoch: UInt32
    var image: MemoryImage
    /// The changes since the previous state.
    var changes: StoreChanges
}
