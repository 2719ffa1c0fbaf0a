// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import Testing

@Suite("Journals that are out there")
struct GoldenTests {
    @Test(
        "opens with its key file and holds what it held",
        arguments: [
            (GoldenJournal.frames, [(1, 1, 0), (2, 1, 1), (4, 3, 0)], 3),
            (.snapshot, [(1, 1, 0), (2, 1, 1), (4, 3, 1)], 4),
            (.newerMinor, [(1, 1, 0), (2, 1, 1), (4, 3, 0), (5, 1, 0)], 4),
        ] as [(GoldenJournal, [(UInt64, UInt64, UInt64)], UInt64)]
    )
    func readable(_ journal: GoldenJournal, _ records: [(UInt64, UInt64, UInt64)], _ sequence: UInt64) throws {
        let group = try GoldenJournal.group()
        try journal.install(in: group)
        let bytes = try group.bytes()
        let store = try FileStore.open(in: group.directory(), until: .standard) { slots, _ throws(StorageError) in
            try sealing(try slots.unlock(with: .keyFile(GoldenJournal.secret(from: 64))))
        }
        let sample = try SealedSample(group)
        for (number, partition, version) in records {
            let found = try #require(try sample.read(store, number, in: partition))
            #expect(found.facts == SealedSample.text(number, version, .facts))
            #expect(found.secret == SealedSample.text(number, version, .secret))
            #expect(try store.partitions(under: SearchTag(rawValue: number)) == [Boxes.partition(partition)])
        }
        #expect(try store.statistics.recordCount == records.count)
        #expect(try store.statistics.sequence == sequence)
        #expect(try sample.read(store, 3, in: 2) == nil)
        #expect(try store.verify().isSound)
        #expect(try group.bytes() == bytes)
        try sample.write(store, 1, in: 1, version: 7)
        try store.compact(until: .standard)
        #expect(try sample.read(group.open(), 1, in: 1)?.secret == SealedSample.text(1, 7, .secret))
    }

    @Test(
        "what a newer version wrote is refused and left alone",
        arguments: [GoldenJournal.newerOperation, .newerMajor]
    )
    func newer(_ journal: GoldenJournal) throws {
        let group = try GoldenJournal.group()
        try journal.install(in: group)
        let bytes = try group.bytes()
        #expect(code { try group.open() } == .unsupportedVersion)
        #expect(code { try group.open(.readOnly) } == .unsupportedVersion)
        #expect(code { try group.repair() } == .unsupportedVersion)
        #expect(try group.bytes() == bytes)
    }

    @Test(
        "rewrites the files",
        .enabled(if: ProcessInfo.processInfo.environment["WRITE_GOLDEN_JOURNALS"] == "yes", "only on purpose")
    )
    func write() throws {
        try GoldenJournal.writeAll()
    }
}
