// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// The content of the file `items`: the partitions in the keyring and the transaction that wrote each, which spares
/// processes from querying all of them. A list that is missing, from another boot, or does not verify is rebuilt from
/// the items.
struct ItemList: Sendable {
    var epoch: UInt32
    /// The newest transaction.
    var sequence: UInt64
    var rows: [PartitionTag: Row] = [:]
    /// A transaction in progress: its sequence, and the partitions that it changes.
    var pending: Pending?
    var erasures = ErasureList()

    struct Row: Hashable, Sendable {
        /// The transaction that wrote the item.
        var sequence: UInt64
        var recordCount: UInt32
        /// The size of the item before base64.
        var byteCount: UInt32
        var searchTags: [SearchTag]

        init(_ item: PartitionItem, byteCount: Int) {
            sequence = item.sequence
            recordCount = UInt32(item.records.count)
            self.byteCount = UInt32(clamping: byteCount)
            searchTags = Set(item.records.flatMap(\.searchTags)).sorted { $0.rawValue < $1.rawValue }
        }

        /// The row of an item that exists but does not verify, so its content is unknown.
        static let unreadable = Row(sequence: 0, recordCount: 1, byteCount: 0, searchTags: [])

        init(sequence: UInt64, recordCount: UInt32, byteCount: UInt32, searchTags: [SearchTag]) {
            self.sequence = sequence
            self.recordCount = recordCount
            self.byteCount = byteCount
            self.searchTags = searchTags
        }
    }

    struct Pending: Hashable, Sendable {
        let sequence: UInt64
        let partitions: Set<PartitionTag>
    }

    init(epoch: UInt32, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Whether a transaction in progress changes this partition, so that earlier reads of it may be outdated.
    func isPending(_ tag: PartitionTag) -> Bool {
        pending?.partitions.contains(tag) == true
    }

    /// The changes from this list to `other`.
    func changes(to other: ItemList) -> StoreChanges {
        if epoch != other.epoch { return .everything }
        // A transaction in progress may have taken effect already, and one completed since has.
        var changed = Set<PartitionTag>()
        if pending != other.pending {
            for transaction in [pending, other.pending] { changed.formUnion(transaction?.partitions ?? []) }
        }
        for (tag, row) in other.rows where rows[tag]?.sequence != row.sequence { changed.insert(tag) }
        for tag in rows.keys where other.rows[tag] == nil { changed.insert(tag) }
        return changed.isEmpty ? .none : .partitions(changed)
    }
}
