// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization

/// The refusals that this process received: with complete responses, of which a note contains only a part, and even if
/// no note could be written.
struct RefusalMemory: Sendable {
    struct Entry: Sendable {
        let partition: PartitionTag
        let note: RefusalNote
        /// Whether a note was written, which then decides whether the refusal is in effect.
        var isStored = false
        /// A number that orders entries and stays the same as long as the entry exists.
        let order: UInt64
    }

    private var entries: [RecordTag: Entry] = [:]
    /// The number of the newest entry.
    private(set) var newestOrder: UInt64 = 0
    /// Beyond this many the oldest is dropped.
    static let limit = 256

    subscript(tag: RecordTag) -> Entry? { entries[tag] }

    mutating func keep(_ note: RefusalNote, _ tag: RecordTag, in partition: PartitionTag) {
        newestOrder += 1
        entries[tag] = Entry(partition: partition, note: note, order: newestOrder)
        if entries.count > Self.limit, let oldest = entries.min(by: { $0.value.order < $1.value.order }) {
            entries[oldest.key] = nil
        }
    }

    /// The entries of a partition for which no note was written.
    func unwritten(in partition: PartitionTag) -> [RecordTag: Entry] {
        entries.filter { !$0.value.isStored && $0.value.partition == partition }
    }

    mutating func markStored(_ tag: RecordTag) { entries[tag]?.isStored = true }

    /// Drops answered refusals, as their notes are removed.
    mutating func remove(_ answered: AnsweredRefusals) {
        entries = entries.filter { tag, entry in !answered.contains(entry.note, under: tag, in: entry.partition) }
    }
}
