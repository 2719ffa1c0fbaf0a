// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage

/// The records of a group as one reader knows them, to find the differences.
///
/// Keeps some sixty bytes per record and no facts. The facts of a removed record are read from its old location: a box
/// reader outlives the records.
struct GroupImage {
    private let store: any RecordStore
    private let codec: RecordCodec
    private var partitions: [PartitionTag: KnownPartition] = [:]
    /// Changes that the store reported and that have not been compared yet. The store reports them only once.
    private var outstanding = StoreChanges.none
    private var hasBaseline = false

    /// An image of the current state of `store`, a handle that no other caller refreshes.
    init(_ store: any RecordStore, codec: RecordCodec) {
        self.store = store
        self.codec = codec
    }

    /// The changes since the last call that did not throw; the first time, since the image was created.
    mutating func advance(until deadline: Deadline) throws(StorageError) -> [CacheChange] {
        try readBaseline(until: deadline)
        outstanding = outstanding.merging(try store.refresh(until: deadline))
        var changes: [CacheChange] = []
        // Apply them all at once, so that no change is lost if another partition cannot be read. Do not change a copy
        // of the image instead: it is as large as the group.
        var compared: [(PartitionTag, KnownPartition?)] = []
        var applicationTokens = ApplicationTokens(codec)
        for tag in try changedPartitions(until: deadline) {
            let contents = try store.contents(of: tag, until: deadline)
            let comparison = PartitionComparison(partitions[tag], contents, codec: codec, partition: tag)
            changes += try comparison.changes { (fields) throws(StorageError) in
                try applicationTokens.contain(fields, in: store, until: deadline)
            }
            compared.append((tag, contents.records.isEmpty ? nil : KnownPartition(contents)))
        }
        for (tag, known) in compared { partitions[tag] = known }
        outstanding = .none
        return changes
    }

    /// Reads all records, unless that was already done.
    mutating func readBaseline(until deadline: Deadline) throws(StorageError) {
        guard !hasBaseline else { return }
        for (tag, _) in try store.partitionsToRead(until: deadline) {
            partitions[tag] = KnownPartition(try store.contents(of: tag, until: deadline))
        }
        hasBaseline = true
    }

    private func changedPartitions(until deadline: Deadline) throws(StorageError) -> [PartitionTag] {
        switch outstanding {
        case .none: []
        case .partitions(let named): named.sorted()
        case .everything: try Set(partitions.keys).union(store.partitions(until: deadline).map(\.tag)).sorted()
        }
    }
}
