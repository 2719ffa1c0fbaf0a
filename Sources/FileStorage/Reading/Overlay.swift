// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The changes that frames made after a snapshot, for the partitions they touched.
struct Overlay: Sendable {
    /// The changes that frames made to one partition.
    struct Partition: Sendable {
        /// The newest version of each record that a frame put; `nil` for a record that a frame removed.
        var records: [RecordTag: JournalRecord?] = Dictionary(minimumCapacity: 6)
        /// Secret boxes of versions that a later frame replaced. They are dead, but not overwritten.
        var leftovers: [Leftover] = []
        /// Records for which a removal erased all older secrets, including that in the snapshot.
        var erased: Set<RecordTag> = []
    }

    struct Leftover: Sendable {
        var tag: RecordTag
        var secret: BoxLocation
    }

    private(set) var partitions: [PartitionTag: Partition] = [:]
    private var searchTags: [SearchTag: Set<PartitionTag>] = [:]
    /// Whether a transaction removed everything, which invalidates the snapshot.
    private(set) var hidesSnapshot = false

    /// Applies a consistent frame. Returns the changed partitions if `noting` is true, otherwise
    /// ``StoreChanges/everything``.
    mutating func apply(_ frame: JournalFrame, noting: Bool) -> StoreChanges {
        var facts = frame.factsOffset
        var secret = frame.secretsOffset
        var touched: Set<PartitionTag> = []
        var last: PartitionTag?
        func touch(_ partition: PartitionTag) {
            // Operations on one partition are adjacent.
            if noting, partition != last { touched.insert(partition) }
            last = partition
        }
        for operation in frame.head.operations {
            switch operation {
            case .put(let put):
                touch(put.partition)
                apply(put, sequence: frame.lead.sequence, facts: facts, secret: secret)
                facts += UInt64(put.factsByteCount)
                secret += UInt64(put.secretByteCount)
            case .remove(let remove):
                touch(remove.partition)
                apply(remove)
            case .removeAll:
                partitions.removeAll()
                searchTags.removeAll()
                hidesSnapshot = true
            }
        }
        if !noting { return .everything }
        if case .removeAll = frame.head.operations.first { return .everything }
        return .partitions(touched)
    }

    private mutating func apply(_ put: FrameOperation.Put, sequence: UInt64, facts: UInt64, secret: UInt64) {
        let record = JournalRecord(
            stored: StoredRecord(
                tag: put.tag,
                kind: put.kind,
                sequence: sequence,
                facts: BoxLocation(offset: facts, length: put.factsByteCount),
                secret: put.secretByteCount == 0 ? .none : BoxLocation(offset: secret, length: put.secretByteCount)
            ),
            factsHash: put.factsHash,
            secretHash: put.secretHash,
            searchTags: put.searchTags
        )
        partitions[put.partition, default: Partition()].put(record)
        for tag in put.searchTags { searchTags[tag, default: []].insert(put.partition) }
    }

    private mutating func apply(_ remove: FrameOperation.Remove) {
        partitions[remove.partition, default: Partition()].remove(remove.tag, erasesSecret: remove.erasesSecret)
    }

    /// Partitions into which a frame put a record with this search tag; that record may since have been replaced or
    /// removed.
    func partitions(under tag: SearchTag) -> Set<PartitionTag> {
        searchTags[tag] ?? []
    }
}

extension Overlay.Partition {
    fileprivate mutating func put(_ record: JournalRecord) {
        keepLeftover(records.updateValue(record, forKey: record.stored.tag))
    }

    fileprivate mutating func remove(_ tag: RecordTag, erasesSecret: Bool) {
        let old = records.updateValue(nil, forKey: tag)
        if erasesSecret {
            leftovers.removeAll { $0.tag == tag }
            erased.insert(tag)
        } else {
            keepLeftover(old)
        }
    }

    private mutating func keepLeftover(_ old: JournalRecord??) {
        guard case .some(.some(let old)) = old, old.stored.secret.length > 0 else { return }
        leftovers.append(Overlay.Leftover(tag: old.stored.tag, secret: old.stored.secret))
    }
}
