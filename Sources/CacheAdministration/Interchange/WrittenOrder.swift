// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

/// When an entry was written: the transaction, and its place in it. Exports are in this order, so that of two entries
/// of a document the later one still is the later one after an import.
struct WrittenOrder: Comparable {
    private let sequence: UInt64
    private let position: UInt32

    init(_ record: StoredRecord, _ facts: EntryFacts) {
        sequence = record.sequence
        position = facts.position
    }

    static func < (left: WrittenOrder, right: WrittenOrder) -> Bool {
        (left.sequence, left.position) < (right.sequence, right.position)
    }
}
