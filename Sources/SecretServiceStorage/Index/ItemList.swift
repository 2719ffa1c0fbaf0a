internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// What the file `items` says: which partitions there are in the keyring and which transaction wrote each, so that nobody
/// has to ask the service for all of them. A note between the processes of one run of the machine, made anew from the
/// items where it is missing, from another run, or does not verify.
struct ItemList: Sendable {
    var epoch: UInt32
    /// The newest transaction.
    var sequence: UInt64
    var rows: [PartitionTag: Row] = [:]
    /// A transaction that was begun: its number, and what it touches.
    var pending: Pending?
    var erasures = ErasureList()

    struct Row: Hashable, Sendable {
        /// The transaction that wrote the item.
        var sequence: UInt64
        var recordCount: UInt32
        /// Bytes of the item, before they became text.
        var byteCount: UInt32
        var searchTags: [SearchTag]

        init(_ item: PartitionItem, byteCount: Int) {
            sequence = item.sequence
            recordCount = UInt32(item.records.count)
            self.byteCount = UInt32(clamping: byteCount)
            searchTags = Set(item.records.flatMap(\.searchTags)).sorted { $0.rawValue < $1.rawValue }
        }

        /// Of an item that is there and does not verify: nothing is known of what it holds.
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

    /// Whether a transaction was begun that touches this partition: what was read of it may not count any more.
    func isPending(_ tag: PartitionTag) -> Bool {
        pending?.partitions.contains(tag) == true
    }

    /// What is different in `other`.
    func changes(to other: ItemList) -> StoreChanges {
        if epoch != other.epoch { return .everything }
        // What was begun may be there already, and what was begun and is settled is.
        var changed = Set<PartitionTag>()
        if pending != other.pending {
            for transaction in [pending, other.pending] { changed.formUnion(transaction?.partitions ?? []) }
        }
        for (tag, row) in other.rows where rows[tag]?.sequence != row.sequence { changed.insert(tag) }
        for tag in rows.keys where other.rows[tag] == nil { changed.insert(tag) }
        return changed.isEmpty ? .none : .partitions(changed)
    }
}
