// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import RecordStorage
import Testing

/// Who has the key can seal any number into an index. No file is as long as some of them.
@Suite("Numbers in the index of a snapshot")
struct IndexNumberTests {
    /// The numbers of a row, by where the format document says they stand in it.
    enum Field: Int, CaseIterable, Sendable {
        case blockOffset = 16
        case blockByteCount = 24
        case recordCount = 28

        var byteCount: Int { self == .blockOffset ? 8 : 4 }
    }

    @Test(
        "at their extremes end no program, and a repair keeps the records of all other rows",
        arguments: Field.allCases,
        [
            0, 1, 1 << 31, .max >> 32, (1 << 62) - 8, 1 << 62, (1 << 62) + 8, 1 << 63, (1 << 63) - 8, .max - 7, .max,
        ] as [UInt64]
    )
    func extremes(field: Field, value: UInt64) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 2)])
        try store.compact(until: .standard)
        store.close()
        var journal = JournalBytes(try group.wholeFile())
        var first: (old: UInt64, partition: UInt64) = (0, 0)
        try journal.resealIndex(group.keys) { index in
            let row = 16
            first = (
                field == .blockOffset ? index.uint64(at: row + 16) : UInt64(index.uint32(at: row + field.rawValue)),
                index.uint64(at: row)
            )
            index.put(value, field.byteCount, at: row + field.rawValue)
        }
        try group.overwrite(journal.bytes)
        // Only the low half of a longer number is put there.
        let written = field == .blockOffset ? value : value & .max >> 32
        let isSound = written == first.old
        let (hit, other): (UInt64, UInt64) = first.partition == Boxes.partition(1).first ? (1, 2) : (2, 1)

        let opened = try group.open()
        #expect(code { try opened.secret(hit, in: hit) } == (isSound ? nil : .damaged))
        #expect(try opened.secret(other, in: other) == Boxes.record(other, in: other).secret)
        #expect(try opened.verify().isSound == isSound)
        #expect(code { try opened.compact(until: .standard) } == (isSound ? nil : .damaged))
        opened.close()

        let plan = try group.repair(dryRun: true)
        let report = try group.repair()
        #expect(report.isRepaired != isSound && plan.keptRecordCount == report.keptRecordCount)
        let repaired = try group.open()
        #expect(try repaired.secret(other, in: other) == Boxes.record(other, in: other).secret)
        #expect(try repaired.verify().isSound)
        if field != .blockOffset {
            // Where it lies is known, and it says itself how long it is.
            #expect(try repaired.secret(hit, in: hit) == Boxes.record(hit, in: hit).secret)
        }
    }
}
