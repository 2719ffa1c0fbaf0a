// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// The partitions that an import read most recently. Entries of one account are often adjacent in a document, and
/// records of the whole group are in one partition.
struct PartitionWindow {
    private static let capacity = 32

    private let store: any RecordStore
    private let codec: RecordCodec
    private let clouds: CloudTable
    private var perItemDeadlines = PerItemDeadlines(until: .after(.zero))
    /// The number of partitions read.
    private var readCount = 0
    private var partitions: [PartitionTag: StoredPartition] = [:]
    /// Whether the store was empty before the import; nil until it is needed.
    private var isStoreEmpty: Bool?
    private var order: [PartitionTag] = []
    /// The group's partition, and the tags of its opaque entries.
    private var group: (tag: PartitionTag, opaqueTags: Set<RecordTag>)?
    /// The partitions of the known entries, except those of the group itself.
    private var homes: [RecordTag: PartitionTag]?

    init(store: any RecordStore, codec: RecordCodec, clouds: CloudTable) {
        self.store = store
        self.clouds = clouds
        self.codec = codec
    }

    /// From now on, reads must be done by the deadline of a transaction; if there are many partitions, each later one
    /// gets the same time again.
    mutating func begin(until deadline: Deadline) {
        perItemDeadlines = PerItemDeadlines(until: deadline)
        readCount = 0
    }

    /// The partition as it was before the import; nil if it was empty.
    mutating func partition(_ tag: PartitionTag) throws(StorageError) -> StoredPartition? {
        if try isStoreKnownEmpty() { return nil }
        let partition = try load(tag)
        return partition.isEmpty ? nil : partition
    }

    /// The partitions of the accounts that had this username, folded, in the cloud of a host before the import.
    mutating func accounts(
        named username: UTF8Text,
        inCloudOf host: UTF8Text
    ) throws(StorageError) -> [StoredPartition] {
        let tags = try store.partitions(under: codec.searchTag(username: username.bytes), until: nextDeadline())
        var found: [StoredPartition] = []
        for tag in tags {
            let partition = try load(tag)
            if try partition.usernames(inCloudOf: host).contains(username) { found.append(partition) }
        }
        return found
    }

    /// The partition of the entry with the same key in the same section, if one of the two is known and the other
    /// opaque, which puts them in different partitions; nil if there is none.
    mutating func twinPartition(of entry: ImportedEntry) throws(StorageError) -> PartitionTag? {
        if try isStoreKnownEmpty() { return nil }
        let tag = entry.address.tag
        guard entry.facts.kind == .opaque else {
            let group = try loadGroup()
            return group.tag != entry.address.partition && group.opaqueTags.contains(tag) ? group.tag : nil
        }
        // Entries of other sections, and whole sections, are always opaque.
        guard entry.facts.section != nil, entry.facts.keyBytes != nil else { return nil }
        return try loadHomes()[tag]
    }

    /// Whether the store was empty before the import.
    mutating func isStoreKnownEmpty() throws(StorageError) -> Bool {
        if let isStoreEmpty { return isStoreEmpty }
        let isEmpty = try store.partitions(until: perItemDeadlines.deadline(ofItem: 0)).isEmpty
        isStoreEmpty = isEmpty
        return isEmpty
    }

    private mutating func loadGroup() throws(StorageError) -> (tag: PartitionTag, opaqueTags: Set<RecordTag>) {
        if let group { return group }
        let tag = try codec.groupPartition()
        let opaqueKind = RecordCodec.kind(.opaque)
        var opaqueTags: Set<RecordTag> = []
        for record in try readableRecords(of: tag) where record.kind == opaqueKind { opaqueTags.insert(record.tag) }
        let loaded = (tag: tag, opaqueTags: opaqueTags)
        group = loaded
        return loaded
    }

    private mutating func loadHomes() throws(StorageError) -> [RecordTag: PartitionTag] {
        if let homes { return homes }
        let groupTag = try codec.groupPartition()
        var found: [RecordTag: PartitionTag] = [:]
        for (partition, _) in try store.partitionsToRead(until: nextDeadline()) where partition != groupTag {
            for record in try readableRecords(of: partition) where !record.kind.isInternalRecord {
                found[record.tag] = partition
            }
        }
        homes = found
        return found
    }

    /// The deadline of the next read.
    private mutating func nextDeadline() -> Deadline {
        defer { readCount += 1 }
        return perItemDeadlines.deadline(ofItem: readCount)
    }

    private mutating func readableRecords(of partition: PartitionTag) throws(StorageError) -> [StoredRecord] {
        do throws(StorageError) {
            return try store.contents(of: partition, until: nextDeadline()).records
        } catch {
            guard error.code == .damaged else { throw error }
            /// An unreadable record does not conflict.
            return []
        }
    }

    private mutating func load(_ tag: PartitionTag) throws(StorageError) -> StoredPartition {
        if let known = partitions[tag] { return known }
        let partition = try StoredPartition(
            tag,
            store.contents(of: tag, until: nextDeadline()),
            codec: codec,
            clouds: clouds
        )
        if order.count == Self.capacity { partitions[order.removeFirst()] = nil }
        order.append(tag)
        partitions[tag] = partition
        return partition
    }
}
