internal import GroupRecords
internal import RecordStorage

/// Which records a group has, as one reader knows it: tells what is different now.
///
/// Keeps some sixty bytes a record and no facts. Those of a record that is gone are read from where they were: a reader of
/// boxes outlives the records.
struct GroupImage {
    private let store: any RecordStore
    private let codec: RecordCodec
    private var partitions: [PartitionTag: KnownPartition] = [:]
    /// What the store told and was not compared yet. It tells once.
    private var outstanding = StoreChanges.none
    private var hasBaseline = false

    /// An image of what `store` shows now, a handle that nobody else refreshes.
    init(_ store: any RecordStore, codec: RecordCodec) {
        self.store = store
        self.codec = codec
    }

    /// What changed since the last call that did not throw; the first time, since the image was made.
    mutating func advance(until deadline: Deadline) throws(StorageError) -> [CacheChange] {
        try readBaseline(until: deadline)
        outstanding = outstanding.merging(try store.refresh(until: deadline))
        var changes: [CacheChange] = []
        // Taken over all at once: what is told must not be forgotten because another partition cannot be read. Not in a
        // copy of the image, which is as large as the group.
        var compared: [(PartitionTag, KnownPartition?)] = []
        for tag in try changedPartitions(until: deadline) {
            let contents = try store.contents(of: tag, until: deadline)
            changes += try PartitionComparison(partitions[tag], contents, codec: codec, partition: tag).changes()
            compared.append((tag, contents.records.isEmpty ? nil : KnownPartition(contents)))
        }
        for (tag, known) in compared { partitions[tag] = known }
        outstanding = .none
        return changes
    }

    /// Reads all records, unless that was done.
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
