// SPDX-License-Identifier: Apache-2.0

// SAFETY: the array outlives the span of it.

internal import Glibc
internal import GroupDirectory
package import RecordStorage
internal import Synchronization

extension SecretServiceStore {
    package func hasUnannouncedChanges() -> Bool {
        if directory.hasBeenMoved() { return true }
        let isPageNew = directory.revision.remapIfReplaced()
        let (seen, isPending) = core.withLock { ($0.seen, $0.list?.pending != nil) }
        return directory.hasMoved(Self.listName, since: seen) || isPageNew || isPending
    }

    package func refresh(until deadline: Deadline) throws(StorageError) -> StoreChanges {
        try waitForAnnouncedTransaction(until: deadline)
        try directory.confirmReading(.keyring)
        let changes = try move(until: deadline)
        return try withCore { core throws(StorageError) in core.report(changes) }
    }

    /// Waits for this store's own transaction to complete if another process has already read and announced it, because
    /// what other processes see must be visible here too.
    private func waitForAnnouncedTransaction(until deadline: Deadline) throws(StorageError) {
        while core.withLock({ $0.frozenWord.map { $0 != revision.load() } ?? false }) {
            if deadline.hasPassed { throw StorageError(.timeout, detail: "the keyring did not answer in time") }
            usleep(100)
        }
    }

    package func contents(
        of partition: PartitionTag,
        until deadline: Deadline
    ) throws(StorageError) -> PartitionContents {
        try load(partition, until: deadline)?.contents ?? emptyContents
    }

    private var emptyContents: PartitionContents {
        PartitionContents(records: [], facts: [], reader: EmptyPartition(epoch: chain.newest.epoch))
    }

    package func partitions(
        under tag: SearchTag,
        until deadline: Deadline
    ) throws(StorageError) -> [PartitionTag] {
        try rows(until: deadline)
            .filter { $0.value.searchTags.contains(tag) || $0.value == .unreadable }
            .map(\.key).sorted()
    }

    package func partitionsToRead(
        until deadline: Deadline
    ) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        try readAhead(until: deadline)
        return try partitions(until: deadline)
    }

    package func partitions(
        until deadline: Deadline
    ) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        try rows(until: deadline).map { ($0.key, Int($0.value.recordCount)) }.sorted { $0.0 < $1.0 }
    }

    /// The maximum number of partitions to read one by one instead of all at once.
    private static let fewPartitions = 8

    /// The rows of the list. Reads the items themselves if the list is missing, or for partitions of a transaction in
    /// progress.
    private func rows(until deadline: Deadline) throws(StorageError) -> [PartitionTag: ItemList.Row] {
        let list = try withCore { $0.list }
        let pending = list?.pending?.partitions ?? []
        guard var rows = list?.rows, pending.count <= Self.fewPartitions else {
            let found = try following(until: deadline) { () throws(StorageError) in
                try items.scan(chain, until: deadline).rows
            }
            // Check the state again, because a migration in the meantime removes the items.
            try directory.confirmReading(.keyring)
            for tag in pending { announceUnlisted(tag, found: found[tag]?.sequence, row: list?.rows[tag]) }
            return found
        }
        for tag in pending {
            rows[tag] = try load(tag, until: deadline).map { ItemList.Row($0.item, byteCount: $0.byteCount) }
        }
        return rows
    }

    /// Announces a partition that is newer than the list, once for each change. Its writer may have been killed before
    /// announcing it, or be about to do so.
    private func announceUnlisted(_ tag: PartitionTag, found: UInt64?, row: ItemList.Row?) {
        let listed = row?.sequence ?? 0
        // A removed partition has no sequence, but its row in the list has the last one.
        guard let sequence = found ?? row.map({ $0.sequence + 1 }), sequence > listed else { return }
        let isNews = core.withLock { core in
            if core.announced[tag] ?? 0 >= sequence { return false }
            core.announced[tag] = sequence
            return true
        }
        if isNews { directory.revision.bump() }
    }

    /// The item of a partition, regardless of the epoch of its keys.
    func findPartition(
        _ tag: PartitionTag,
        until deadline: Deadline
    ) throws(StorageError) -> (item: PartitionItem, byteCount: Int)? {
        try following(until: deadline) { () throws(StorageError) in
            try items.partition(tag, chain, until: deadline)
        }
    }

    /// A partition according to the list, read if necessary; `nil` if it has no records.
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
        // During a transaction on the partition, only the keyring knows its content.
        if !isPending, let known, known.item.sequence >= row?.sequence ?? .max, known.isPlaced || !toChangeIt {
            return known
        }
        guard let found = try findPartition(tag, until: deadline) else {
            try directory.confirmReading(.keyring)
            // If the item was removed in the meantime, the list no longer has it. Otherwise it is missing.
            guard let row, try isStillListed(tag, row) else {
                announceUnlisted(tag, found: nil, row: row)
                return nil
            }
            throw StorageError(
                .keyringItemMissing,
                detail: "the missing item held records",
                advice: "Restore the keyring, or run cachetool repair, which continues without it"
            )
        }
        if let row, found.item.sequence < row.sequence {
            throw StorageError(
                .damaged,
                detail: "an item in the keyring is older than the last one written, so it may have been restored"
            )
        }
        if list != nil { announceUnlisted(tag, found: found.item.sequence, row: row) }
        if found.item.records.isEmpty { return nil }
        let moment = ErasureWatch.Moment(sequence: list?.sequence ?? 0, word: word)
        let partition = KeyringPartition(found.item, byteCount: found.byteCount, asOf: moment, watch)
        return try withCore { core throws(StorageError) in
            // Do not cache it without a list, because changes to it would go unnoticed.
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
        at location: BoxLocation,
        _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard location == .none else { throw StorageError(.damaged, detail: "there is no box at this location") }
        let nothing: [UInt8] = []
        return try unsafe body(nothing.span.bytes)
    }
}

extension SecretServiceStore {
    /// Reads partitions that are not cached yet, many at a time. Leaves doubtful ones to ``load(_:until:toChangeIt:)``.
    func readAhead(until deadline: Deadline) throws(StorageError) {
        let word = revision.load()
        let (list, read) = try withCore { ($0.list, $0.read) }
        // Do not cache any without a list, because changes to them would go unnoticed.
        guard let list else { return }
        let missing = list.rows.filter { tag, row in
            row != .unreadable && !list.isPending(tag) && (read[tag]?.item.sequence ?? 0) < row.sequence
        }
        // Request all items, because it is not known in advance which item belongs to which partition.
        guard missing.count > 1, missing.count * 4 > list.rows.count else { return }
        let found = try following(until: deadline) { () throws(StorageError) in
            try items.allPartitions(chain, until: deadline)
        }
        let moment = ErasureWatch.Moment(sequence: list.sequence, word: word)
        try withCore { core throws(StorageError) in
            for (tag, row) in missing where core.list?.rows[tag] == row && core.list?.isPending(tag) == false {
                guard let (item, byteCount) = found[tag], item.sequence >= row.sequence, !item.records.isEmpty else {
                    continue
                }
                core.read[tag] = KeyringPartition(item, byteCount: byteCount, asOf: moment, watch, isPlaced: false)
            }
        }
    }
}
