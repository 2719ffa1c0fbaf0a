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
            (.version1Frames, [(1, 1, 0), (2, 1, 1), (4, 3, 0)], 3),
            (.version1Snapshot, [(1, 1, 0), (2, 1, 1), (4, 3, 1)], 4),
            (.version1NewerMinor, [(1, 1, 0), (2, 1, 1), (4, 3, 0), (5, 1, 0)], 4),
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
        #expect(try !store.isNamed)
        #expect(try group.bytes() == bytes)
        // The first write converts an older version.
        #expect(JournalBytes(bytes).uint16(at: 8) == (journal.isVersion1 ? 1 : 2))
        try sample.write(store, 1, in: 1, version: 7)
        #expect(JournalBytes(try group.bytes()).uint16(at: 8) == 2)
        #expect(try group.open().statistics.sequence == sequence + 1)
        #expect(try sample.read(group.open(), 4, in: 3)?.secret != nil)
        try store.compact(until: .standard)
        #expect(try sample.read(group.open(), 1, in: 1)?.secret == SealedSample.text(1, 7, .secret))
        // The journal that replaces them says which group it is.
        #expect(try group.open().isNamed)
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

    @Test("a version 1 journal whose last transaction does not verify is read without it, and converted without it")
    func spoiledVersion1() throws {
        let group = try GoldenJournal.group()
        try GoldenJournal.version1Frames.install(in: group)
        let bytes = try group.bytes()
        // In the list of the last transaction, of which nothing shows that it was acknowledged.
        let last = try #require(JournalBytes(bytes).frames.last).lowerBound
        try group.flip(at: last + 60)
        let store = try FileStore.open(in: group.directory(), until: .standard) { slots, _ throws(StorageError) in
            try sealing(try slots.unlock(with: .keyFile(GoldenJournal.secret(from: 64))))
        }
        let sample = try SealedSample(group)
        #expect(try store.statistics.sequence == 2)
        // The secret that it removed was overwritten nevertheless.
        #expect(try store.verify().findings.map(\.part) == [.unproven, .erasedSecret])
        try sample.write(store, 1, in: 1, version: 7)
        #expect(try group.open().verify().findings.map(\.part) == [.erasedSecret])
        #expect(try group.quarantined().count == 1)
    }

    @Test(
        "rewrites the files",
        .enabled(if: ProcessInfo.processInfo.environment["WRITE_GOLDEN_JOURNALS"] == "yes", "only on purpose")
    )
    func write() throws {
        try GoldenJournal.writeAll()
    }
}
