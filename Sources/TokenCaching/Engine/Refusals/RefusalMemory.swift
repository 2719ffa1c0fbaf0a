internal import RecordStorage
internal import Synchronization

/// The refusals that this process met: in full, where a note holds only a part, and also where none could be written.
struct RefusalMemory: Sendable {
    struct Entry: Sendable {
        let partition: PartitionTag
        let note: RefusalNote
        /// Whether a note says so, too: then that decides whether it stands.
        var isStored = false
        /// What lasts as long as the entry does.
        let order: UInt64
    }

    private var entries: [RecordTag: Entry] = [:]
    /// The number of the last one that was kept.
    private(set) var newestOrder: UInt64 = 0
    /// Beyond this many the oldest goes.
    static let limit = 256

    subscript(tag: RecordTag) -> Entry? { entries[tag] }

    mutating func keep(_ note: RefusalNote, _ tag: RecordTag, in partition: PartitionTag) {
        newestOrder += 1
        entries[tag] = Entry(partition: partition, note: note, order: newestOrder)
        if entries.count > Self.limit, let oldest = entries.min(by: { $0.value.order < $1.value.order }) {
            entries[oldest.key] = nil
        }
    }

    /// Those of a partition that no note says.
    func unwritten(in partition: PartitionTag) -> [RecordTag: Entry] {
        entries.filter { !$0.value.isStored && $0.value.partition == partition }
    }

    mutating func markStored(_ tag: RecordTag) { entries[tag]?.isStored = true }

    /// Forgets what is answered, as the notes of it are removed.
    mutating func remove(_ answered: AnsweredRefusals) {
        entries = entries.filter { tag, entry in !answered.contains(entry.note, under: tag, in: entry.partition) }
    }
}
