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
        fileprivate let order: UInt64
    }

    private var entries: [RecordTag: Entry] = [:]
    private var count: UInt64 = 0
    /// Beyond this many the oldest goes.
    static let limit = 256

    subscript(tag: RecordTag) -> Entry? { entries[tag] }

    mutating func keep(_ note: RefusalNote, _ tag: RecordTag, in partition: PartitionTag) {
        count += 1
        entries[tag] = Entry(partition: partition, note: note, order: count)
        if entries.count > Self.limit, let oldest = entries.min(by: { $0.value.order < $1.value.order }) {
            entries[oldest.key] = nil
        }
    }

    /// Those of a partition that no note says.
    func unwritten(in partition: PartitionTag) -> [(tag: RecordTag, note: RefusalNote)] {
        entries.filter { !$0.value.isStored && $0.value.partition == partition }.map { ($0.key, $0.value.note) }
    }

    mutating func markStored(_ tag: RecordTag) { entries[tag]?.isStored = true }

    mutating func removeAll() { entries.removeAll() }
}
