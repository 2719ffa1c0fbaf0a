// SPDX-License-Identifier: Apache-2.0

/// The contents of a group at one point in time: a value, of which each handle has the one that it last read.
struct MemoryContents: Sendable {
    private(set) var partitions: [PartitionTag: MemoryPartition] = [:]
    private var partitionsByTag: [SearchTag: Set<PartitionTag>] = [:]

    subscript(tag: PartitionTag) -> MemoryPartition? { partitions[tag] }

    func partitions(under tag: SearchTag) -> [PartitionTag] { partitionsByTag[tag]?.sorted() ?? [] }

    /// Replaces the partition with this tag, or removes it if `partition` has no records.
    mutating func replace(_ tag: PartitionTag, with partition: MemoryPartition) {
        for name in partitions[tag]?.records.flatMap(\.searchTags) ?? [] {
            partitionsByTag[name]?.remove(tag)
            if partitionsByTag[name]?.isEmpty == true { partitionsByTag[name] = nil }
        }
        for name in partition.records.flatMap(\.searchTags) { partitionsByTag[name, default: []].insert(tag) }
        partitions[tag] = partition.records.isEmpty ? nil : partition
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
    var contents: MemoryContents
    /// The changes since the previous state.
    var changes: StoreChanges
}
