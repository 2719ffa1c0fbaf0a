// SPDX-License-Identifier: Apache-2.0

import FileStorage
import GroupDirectory
import RecordStorage
import Testing

@Suite("Committing to the journal")
struct CommitTests {
    @Test("a record is found again by another handle at its next refresh")
    func foundAgain() throws {
        let group = try ScratchGroup()
        let writer = try group.create()
        let reader = try group.open()
        let record = Boxes.record(1, in: 7, searchTags: [99])
        #expect(try writer.write([record]) == 1)
        #expect(try reader.contents(of: record.partition).records.isEmpty)
        #expect(try reader.refresh(until: .standard) == .partitions([record.partition]))
        #expect(try reader.facts(1, in: 7) == record.facts)
        #expect(try reader.secret(1, in: 7) == record.secret)
        #expect(try reader.partitions(under: SearchTag(rawValue: 99)) == [record.partition])
        #expect(try reader.refresh(until: .standard) == StoreChanges.none)
    }

    @Test("a store opened again has every transaction")
    func reopened() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        for number in 0..<50 as Range<UInt64> {
            try store.write([Boxes.record(number, in: number % 5), Boxes.record(1000, in: 3, version: number)])
        }
        store.close()
        let again = try group.open()
        for number in 0..<50 as Range<UInt64> {
            #expect(try again.secret(number, in: number % 5) == Boxes.record(number, in: 0).secret)
        }
        #expect(try again.secret(1000, in: 3) == Boxes.record(1000, in: 3, version: 49).secret)
        #expect(try again.partitions().map(\.recordCount).reduce(0, +) == 51)
    }

    @Test("of several operations on one record the last one counts")
    func lastOneCounts() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.commit(until: .standard) { _, batch throws(StorageError) in
            try batch.put(Boxes.record(1, in: 1, version: 1))
            try batch.put(Boxes.record(1, in: 1, version: 2))
            try batch.put(Boxes.record(2, in: 1))
            try batch.remove(Removal(tag: Boxes.tag(2), partition: Boxes.partition(1), erasesSecret: false))
        }
        #expect(try store.secret(1, in: 1) == Boxes.record(1, in: 1, version: 2).secret)
        #expect(try store.secret(2, in: 1) == nil)
    }

    @Test("a transaction without operations writes nothing")
    func emptyTransaction() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        let before = try group.bytes()
        #expect(try store.write() == 1)
        #expect(try group.bytes() == before)
    }
}
