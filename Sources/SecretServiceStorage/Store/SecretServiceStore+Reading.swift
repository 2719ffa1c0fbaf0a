internal import GroupDirectory
package import RecordStorage
internal import Synchronization

extension SecretServiceStore {
    package func hasMovedUnnoticed() -> Bool {
        let isPageNew = directory.revision.remapIfReplaced()
        let (seen, isPending) = core.withLock { ($0.seen, $0.list?.pending != nil) }
        return directory.hasMoved(Self.listName, since: seen) || isPageNew || isPending
    }

    package func refresh(until deadline: Deadline) throws(StorageError) -> StoreChanges {
        try directory.confirmReading(.keyring)
        let changes = try move(until: deadline)
        return try withCore { core throws(StorageError) in core.report(changes) }
    }

    package func contents(of partition: PartitionTag) throws(StorageError) -> PartitionContents {
        try load(partition, until: .standard)?.contents ?? emptyContents
    }

    private var emptyContents: PartitionContents {
        PartitionContents(records: [], facts: [], reader: EmptyPartition(epoch: chain.newest.epoch))
    }

    package func partitions(under tag: SearchTag) throws(StorageError) -> [PartitionTag] {
        try list(until: .standard).rows
            .filter { $0.value.searchTags.contains(tag) || $0.value == .unreadable }
            .map(\.key).sorted()
    }

    package func partitionsToRead() throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        try readAhead()
        return try partitions()
    }

    package func partitions() throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        try list(until: .standard).rows.map { ($0.key, Int($0.value.recordCount)) }.sorted { $0.0 < $1.0 }
    }

    /// The list, from the items themselves where no file says it.
    private func list(until deadline: Deadline) throws(StorageError) -> ItemList {
        if let list = try withCore({ $0.list }) { return list }
        let list = try following(until: deadline) { () throws(StorageError) in try items.scan(chain, until: deadline) }
        // What was taken elsewhere meanwhile was removed here.
        try directory.confirmReading(.keyring)
        return list
    }

    /// The item of a partition, whatever keys it is sealed with.
    func findPartition(
        _ tag: PartitionTag,
        until deadline: Deadline
    ) throws(StorageError) -> (item: PartitionItem, byteCount: Int)? {
        try following(until: deadline) { () throws(StorageError) in
            try items.partition(tag, chain, until: deadline)
        }
    }

    /// A partition as of the list, read where it was not yet; `nil` where it has no records.
    func load(
        _ tag: PartitionTag,
        until deadline: Deadline,
        toChangeIt: Bool = false
    ) throws(StorageError) -> KeyringPartition? {
        let word = revision.load()
        let (list, known) = try withCore { ($0.list, $0.read[tag]) }
        let row = list?.rows[tag]
        let isPending = list?.isPending(tag) == true
        if list != nil, row == nil, !isPending { return nil }
        // While somebody writes it, only the keyring knows what it holds.
        if !isPending, let known, known.item.sequence >= row?.sequence ?? .max, known.isPlaced || !toChangeIt {
            return known
        }
        guard let found = try findPartition(tag, until: deadline) else {
            try directory.confirmReading(.keyring)
            // It went since, which the list tells by now, or it is missing.
            guard let row, try isStillListed(tag, row) else { return nil }
            throw StorageError(
                .keyringItemMissing,
                detail: "an item with records of the group is missing in the keyring"
            )
        }
        if let row, found.item.sequence < row.sequence {
            throw StorageError(
                .damaged,
                detail: "the keyring holds an older version of an item than was written last; it may have been put back"
            )
        }
        if found.item.records.isEmpty { return nil }
        let moment = ErasureWatch.Moment(sequence: list?.sequence ?? 0, word: word)
        let partition = KeyringPartition(found.item, byteCount: found.byteCount, asOf: moment, watch)
        return try withCore { core throws(StorageError) in
            // Without a list nobody would tell when it changes.
            if core.list != nil, !isPending { core.read[tag] = partition }
            return partition
        }
    }

    private func isStillListed(_ tag: PartitionTag, _ row: ItemList.Row) throws(StorageError) -> Bool {
        guard case .list(let list)? = try Self.readList(in: directory, chain)?.reading else { return false }
        return list.rows[tag] == row && !list.isPending(tag)
    }
}

/// A partition without records.
private final class EmptyPartition: BoxReader {
    let epoch: UInt32

    init(epoch: UInt32) {
        self.epoch = epoch
    }

    func withBox<Result>(
        at place: BoxPlace,
        _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard place == .none else { throw StorageError(.damaged, detail: "no box lies at this place") }
        let nothing: [UInt8] = []
        return try unsafe body(nothing.span.bytes)
    }
}
