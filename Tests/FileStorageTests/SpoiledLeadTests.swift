// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import RecordStorage
import Testing

@Suite("A transaction without its lead")
struct SpoiledLeadTests {
    @Test(
        "ends no program in a repair, whatever lengths its list claims",
        arguments: [0, 1, 199, 201, 1 << 31, .max - 7, .max] as [UInt32],
        [4, 8]
    )
    func claimedLengths(byteCount: UInt32, field: Int) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        store.close()
        var journal = JournalBytes(try group.bytes())
        let start = journal.bytes.count
        let record = Boxes.record(2, in: 2)
        var put = try JournalBytes.put(record, keys: group.keys)
        for index in 0..<4 { put[field + index] = UInt8(truncatingIfNeeded: byteCount >> UInt32(8 * index)) }
        try journal.appendFrame(
            sequence: 2,
            head: JournalBytes.head([put]),
            facts: record.facts,
            secrets: record.secret,
            keys: group.keys
        )
        journal.bytes[start + 40] ^= 1
        try group.forgetPage()
        try group.overwrite(journal.bytes)
        _ = try group.repair()
        #expect(try group.open().secret(1, in: 1) == Boxes.record(1, in: 1).secret)
    }
}
