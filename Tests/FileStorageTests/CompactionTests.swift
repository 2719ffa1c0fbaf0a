// SPDX-License-Identifier: Apache-2.0

import FileStorage
import GroupDirectory
import RecordStorage
import Testing

@Suite("Compaction")
struct CompactionTests {
    @Test("keeps every record, drops dead bytes, and continues the sequence")
    func keepsRecords() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        let reader = try group.open()
        for version in 0..<40 as Range<UInt64> {
            try store.write((0..<20).map { Boxes.record($0, in: $0 / 4, version: version, searchTags: [$0]) })
        }
        try store.write(removing: [Removal(tag: Boxes.tag(5), partition: Boxes.partition(1), erasesSecret: true)])
        let before = try group.bytes().count
        try store.compact(until: .standard)
        #expect(try group.bytes().count < before / 4)
        #expect(try reader.refresh(until: .standard) == .everything)
        #expect(try store.refresh(until: .standard) == .everything)
        for store in [store, reader, try group.open()] {
            for number in 0..<20 as Range<UInt64> where number != 5 {
                #expect(try store.secret(number, in: number / 4) == Boxes.record(number, in: 0, version: 39).secret)
                #expect(try store.partitions(under: SearchTag(rawValue: number)) == [Boxes.partition(number / 4)])
            }
            #expect(try store.secret(5, in: 1) == nil)
        }
        #expect(try store.write([Boxes.record(7, in: 1, version: 99)]) == 42)
        #expect(try reader.refresh(until: .standard) == .partitions([Boxes.partition(1)]))
    }

    @Test("a reader that has box locations continues to read them")
    func pinnedReader() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        let contents = try store.contents(of: Boxes.partition(1))
        try store.compact(until: .standard)
        try store.write([Boxes.record(1, in: 1, version: 2)])
        let box = try contents.reader.withBox(at: contents.records[0].secret) { box throws(StorageError) in
            box.byteCount
        }
        #expect(box == 500)
    }

    @Test("happens by itself when more than half is dead")
    func byItself() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        for version in 0..<60 as Range<UInt64> {
            try store.write((0..<10).map { Boxes.record($0, in: 1, version: version, secret: 4000) })
        }
        store.waitForUpkeep()
        #expect(try group.bytes().count < 2_000_000)
        #expect(try store.secret(3, in: 1) == Boxes.record(3, in: 1, version: 59, secret: 4000).secret)
    }

    @Test("is one at a time, by whatever handle")
    func oneAtATime() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        let lock = try group.directory(.readWrite).lock(.compactor, until: .standard)
        #expect(code { try store.compact(until: .after(.milliseconds(20))) } == .busy)
        lock.release()
        #expect(code { try store.compact(until: .standard) } == nil)
    }
}
