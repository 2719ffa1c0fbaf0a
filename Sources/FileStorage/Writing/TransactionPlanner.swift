// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// Looks up the records that a transaction replaces or removes, so that its frame can count the dead bytes and list the
/// secrets to overwrite.
struct TransactionPlanner {
    let keys: JournalKeys
    /// The length of the file before the transaction.
    let fileByteCount: UInt64
    /// Returns a partition as it was before the transaction.
    let view: (PartitionTag) throws(StorageError) -> PartitionView

    func plan(_ batch: JournalBatch) throws(StorageError) -> FrameBuilder.Plan {
        var plan = FrameBuilder.Plan()
        plan.operations.reserveCapacity(batch.items.count)
        plan.facts.reserveCapacity(batch.items.count)
        plan.secrets.reserveCapacity(batch.items.count)
        if batch.removesAll {
            plan.operations.append(.removeAll)
            plan.removesAll = true
            plan.dyingByteCount = fileByteCount
        }
        // Plan by partition, so that each is read once and its new facts are adjacent. Usually there is only one.
        if let only = batch.onlyPartition {
            plan.partitionCount = 1
            try add(batch.items, of: only, to: &plan)
            return plan
        }
        var order: [PartitionTag] = []
        var groups: [PartitionTag: [JournalBatch.Item]] = [:]
        for item in batch.items {
            let partition = item.partition
            if groups[partition] == nil { order.append(partition) }
            groups[partition, default: []].append(item)
        }
        plan.partitionCount = order.count
        for partition in order {
            try add(groups[partition] ?? [], of: partition, to: &plan)
        }
        return plan
    }

    private func add(
        _ items: [JournalBatch.Item],
        of partition: PartitionTag,
        to plan: inout FrameBuilder.Plan
    ) throws(StorageError) {
        var before = Before(
            try plan.removesAll ? nil : view(partition),
            mustReadBlock: items.indices.contains { items[$0].erasesSecret }
        )
        for index in items.indices {
            switch items[index] {
            case .put(let record):
                if let old = try before.live(record.tag) { plan.dyingByteCount += old.byteCount }
                plan.hasPuts = true
                plan.operations.append(.put(try put(record)))
                plan.facts.append(record.facts)
                if !record.secret.isEmpty { plan.secrets.append(record.secret) }
            case .remove(let removal):
                guard let remove = try before.remove(removal) else { continue }
                if let old = try before.live(removal.tag) { plan.dyingByteCount += old.byteCount }
                plan.operations.append(.remove(remove))
            }
        }
    }

    /// A partition before the transaction. Its block in the snapshot is read only for records that no frame changed,
    /// and for secrets to erase.
    private struct Before {
        /// `nil` if the transaction removes everything first.
        private let view: PartitionView?
        /// Whether an unreadable block is an error. A new version may replace an unreadable record, but a secret to
        /// erase must be found.
        private let mustReadBlock: Bool
        /// The records of the block in ascending order of tag; `nil` until they are needed.
        private var block: [JournalRecord]?
        /// Secret boxes of older versions that are still in the file.
        private lazy var leftovers = Dictionary(grouping: view?.changed?.leftovers ?? [], by: \.tag)

        init(_ view: PartitionView?, mustReadBlock: Bool) {
            self.view = view
            self.mustReadBlock = mustReadBlock
        }

        mutating func live(_ tag: RecordTag) throws(StorageError) -> JournalRecord? {
            if let changed = view?.changed?.records[tag] { return changed }
            return try recordInBlock(tag)
        }

        private mutating func recordInBlock(_ tag: RecordTag) throws(StorageError) -> JournalRecord? {
            if block == nil { block = try readBlock() }
            let records = block ?? []
            var low = 0
            var high = records.count
            while low < high {
                let middle = (low + high) / 2
                if records[middle].stored.tag < tag { low = middle + 1 } else { high = middle }
            }
            return low < records.count && records[low].stored.tag == tag ? records[low] : nil
        }

        private func readBlock() throws(StorageError) -> [JournalRecord] {
            do throws(StorageError) {
                return try view?.block()?.records ?? []
            } catch {
                if mustReadBlock || error.code != .damaged { throw error }
                return []
            }
        }

        /// The operation, or `nil` if it would have no effect.
        mutating func remove(_ removal: Removal) throws(StorageError) -> FrameOperation.Remove? {
            let tag = removal.tag
            var locations: [BoxLocation] = []
            let live = try live(tag)
            if removal.erasesSecret {
                locations = leftovers[tag, default: []].map(\.secret)
                if let changed = view?.changed, changed.records[tag] != nil, !changed.erased.contains(tag),
                    let old = try recordInBlock(tag)
                {
                    locations.append(old.stored.secret)
                }
                if let live { locations.append(live.stored.secret) }
                locations.removeAll { $0.length == 0 }
            }
            if live == nil, locations.isEmpty { return nil }
            return FrameOperation.Remove(
                tag: tag,
                partition: removal.partition,
                erasesSecret: removal.erasesSecret,
                locations: Array(locations.suffix(Int(UInt16.max)))
            )
        }
    }

    private func put(_ record: NewRecord) throws(StorageError) -> FrameOperation.Put {
        let hashes = try keys.boxHashes(of: record)
        return FrameOperation.Put(
            tag: record.tag,
            partition: record.partition,
            kind: record.kind,
            factsByteCount: UInt32(record.facts.count),
            secretByteCount: UInt32(record.secret.count),
            factsHash: hashes.facts,
            secretHash: hashes.secret,
            searchTags: record.searchTags
        )
    }
}

extension JournalBatch.Item {
    fileprivate var erasesSecret: Bool {
        if case .remove(let removal) = self { removal.erasesSecret } else { false }
    }

    var partition: PartitionTag {
        switch self {
        case .put(let record): record.partition
        case .remove(let removal): removal.partition
        }
    }
}
