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
        let before = plan.removesAll ? Before() : try before(partition, items)
        for index in items.indices {
            switch items[index] {
            case .put(let record):
                if let old = before.live(record.tag) { plan.dyingByteCount += old.byteCount }
                plan.hasPuts = true
                plan.operations.append(.put(try put(record)))
                plan.facts.append(record.facts)
                if !record.secret.isEmpty { plan.secrets.append(record.secret) }
            case .remove(let removal):
                guard let remove = before.remove(removal) else { continue }
                if let old = before.live(removal.tag) { plan.dyingByteCount += old.byteCount }
                plan.operations.append(.remove(remove))
            }
        }
    }

    /// A partition before the transaction.
    private struct Before {
        /// In ascending order of tag.
        var records: [JournalRecord] = []
        /// Secret boxes of older versions that are still in the file.
        var leftovers: [RecordTag: [BoxLocation]] = [:]

        func live(_ tag: RecordTag) -> JournalRecord? {
            var low = 0
            var high = records.count
            while low < high {
                let middle = (low + high) / 2
                if records[middle].stored.tag < tag { low = middle + 1 } else { high = middle }
            }
            return low < records.count && records[low].stored.tag == tag ? records[low] : nil
        }

        /// The operation, or `nil` if it would have no effect.
        func remove(_ removal: Removal) -> FrameOperation.Remove? {
            var locations: [BoxLocation] = []
            let live = live(removal.tag)
            if removal.erasesSecret {
                locations = leftovers[removal.tag] ?? []
                if let secret = live?.stored.secret, secret.length > 0 { locations.append(secret) }
            }
            if live == nil, locations.isEmpty { return nil }
            return FrameOperation.Remove(
                tag: removal.tag,
                partition: removal.partition,
                erasesSecret: removal.erasesSecret,
                locations: Array(locations.suffix(Int(UInt16.max)))
            )
        }
    }

    private func before(_ partition: PartitionTag, _ items: [JournalBatch.Item]) throws(StorageError) -> Before {
        let view = try view(partition)
        var before = Before()
        let erases = items.indices.contains { items[$0].erasesSecret }
        do throws(StorageError) {
            let content = try view.read()
            before.records = content.records
            if erases, let changed = view.changed {
                for leftover in changed.leftovers {
                    before.leftovers[leftover.tag, default: []].append(leftover.secret)
                }
                for record in content.block?.records ?? [] {
                    let tag = record.stored.tag
                    guard changed.records[tag] != nil, !changed.erased.contains(tag), record.stored.secret.length > 0
                    else { continue }
                    before.leftovers[tag, default: []].append(record.stored.secret)
                }
            }
        } catch {
            // A new version may replace an unreadable record, but a secret to erase must be found.
            if erases || error.code != .damaged { throw error }
        }
        return before
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
