internal import RecordStorage

/// The partitions that an import looked at last. Entries of one account often follow one another, and everything that
/// belongs to the group as a whole is in one partition.
struct PartitionWindow {
    private static let capacity = 32

    private let store: any RecordStore
    private let codec: RecordCodec
    private var partitions: [PartitionTag: StoredPartition] = [:]
    /// Whether there was anything at all before the import; nil while nobody asked.
    private var isStoreEmpty: Bool?
    private var order: [PartitionTag] = []

    init(store: any RecordStore, codec: RecordCodec) {
        self.store = store
        self.codec = codec
    }

    /// The partition as it was before the import; nil where nothing was in it.
    mutating func partition(_ tag: PartitionTag) throws(StorageError) -> StoredPartition? {
        let isStoreEmpty = if let isStoreEmpty { isStoreEmpty } else { try store.partitions().isEmpty }
        self.isStoreEmpty = isStoreEmpty
        if isStoreEmpty { return nil }
        let partition = try load(tag)
        return partition.isEmpty ? nil : partition
    }

    private mutating func load(_ tag: PartitionTag) throws(StorageError) -> StoredPartition {
        if let known = partitions[tag] { return known }
        let partition = try StoredPartition(store.contents(of: tag), codec: codec)
        if order.count == Self.capacity { partitions[order.removeFirst()] = nil }
        order.append(tag)
        partitions[tag] = partition
        return partition
    }
}
