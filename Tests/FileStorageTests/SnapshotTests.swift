// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupDirectory
import RecordStorage
import Synchronization
import Testing

@testable import FileStorage

@Suite("Large transactions")
struct SnapshotTests {
    @Test("a transaction of any size becomes a snapshot and keeps the earlier records")
    func large() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        let reader = try group.open()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 2), Boxes.record(3, in: 3)])
        try store.write(removing: [Removal(tag: Boxes.tag(3), partition: Boxes.partition(3), erasesSecret: false)])
        try store.commit(until: .standard) { _, batch throws(StorageError) in
            for number in 100..<9100 as Range<UInt64> {
                try batch.put(Boxes.record(number, in: number / 4, searchTags: [number]))
            }
            try batch.put(Boxes.record(2, in: 2, version: 5))
            try batch.put(Boxes.record(200, in: 50, version: 1))
            try batch.remove(Removal(tag: Boxes.tag(300), partition: Boxes.partition(75), erasesSecret: true))
        }
        #expect(try reader.refresh(until: .standard) == .everything)
        for store in [store, reader, try group.open()] {
            #expect(try store.secret(1, in: 1) == Boxes.record(1, in: 1).secret)
            #expect(try store.secret(2, in: 2) == Boxes.record(2, in: 2, version: 5).secret)
            #expect(try store.secret(3, in: 3) == nil)
            #expect(try store.secret(200, in: 50) == Boxes.record(200, in: 50, version: 1).secret)
            #expect(try store.secret(300, in: 75) == nil)
            for number in stride(from: 101, to: 9100 as UInt64, by: 97) {
                #expect(try store.facts(number, in: number / 4) == Boxes.record(number, in: 0).facts)
                #expect(try store.secret(number, in: number / 4) == Boxes.record(number, in: 0).secret)
                let found = try store.partitions(under: SearchTag(rawValue: number))
                #expect(found == [Boxes.partition(number / 4)])
            }
            #expect(try store.partitions().count == 2 + 9000 / 4)
            #expect(try store.partitions().map(\.recordCount).reduce(0, +) == 2 + 9000 - 1)
        }
        #expect(try store.write([Boxes.record(1, in: 1, version: 9)]) == 4)
        #expect(try reader.refresh(until: .standard) == .partitions([Boxes.partition(1)]))
        #expect(try reader.secret(1, in: 1) == Boxes.record(1, in: 1, version: 9).secret)
    }

    @Test("a large transaction that removes everything leaves only the records that it puts")
    func removesEverything() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        try store.commit(until: .standard) { _, batch throws(StorageError) in
            for number in 100..<9100 as Range<UInt64> { try batch.put(Boxes.record(number, in: number)) }
            try batch.removeAll()
        }
        #expect(try store.secret(1, in: 1) == nil)
        #expect(try store.partitions().count == 9000)
    }

    @Test("a transaction that gives up after it spilled leaves no file behind")
    func givesUp() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        let before = try group.files()
        #expect(throws: StorageError(.cancelled)) {
            try store.commit(until: .standard) { _, batch throws(StorageError) in
                for number in 0..<9000 as Range<UInt64> { try batch.put(Boxes.record(number, in: number)) }
                throw StorageError(.cancelled)
            }
        }
        #expect(try group.files() == before)
    }

    @Test(
        "a transaction that needs a longer frame than there may be is written as a new snapshot",
        arguments: [false, true]
    )
    func longFrame(removesAll: Bool) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        for version in 0...9 as ClosedRange<UInt64> { try store.write([Boxes.record(1, in: 1, version: version)]) }
        try store.write([Boxes.record(2, in: 2)])
        let journal = JournalBytes(try group.bytes()).uint64(at: 32)
        store.core.withLock { $0.longestFrameByteCount = 300 }
        let sequence = try store.commit(until: .standard) { _, batch throws(StorageError) in
            if removesAll { try batch.removeAll() }
            try batch.remove(Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true))
            try batch.put(Boxes.record(3, in: 3))
        }
        #expect(sequence == 12)
        #expect(JournalBytes(try group.bytes()).uint64(at: 32) != journal)
        let again = try group.open()
        #expect(try again.secret(1, in: 1) == nil)
        #expect(try again.secret(2, in: 2) == (removesAll ? nil : Boxes.record(2, in: 2).secret))
        #expect(try again.secret(3, in: 3) == Boxes.record(3, in: 3).secret)
        #expect(try again.verify().findings.isEmpty)
    }
}
