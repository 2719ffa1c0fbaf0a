// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import FileStorage
import GroupDirectory
import RecordStorage
import Sealing
import Synchronization
import Testing

@Suite("Versions and headers")
struct HeaderTests {
    @Test("a newer major version or another cipher suite is refused and never rewritten", arguments: [8, 12])
    func newerVersion(offset: Int) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        store.close()
        var journal = JournalBytes(try group.bytes())
        journal.put(3, 1, at: offset)
        try journal.rehash(group.keys)
        try group.overwrite(journal.bytes)
        #expect(code { try group.open() } == .unsupportedVersion)
        #expect(code { try group.repair() } == .unsupportedVersion)
        #expect(code { try group.create() } == .exists)
        #expect(try group.bytes() == journal.bytes)
    }

    @Test("optional fields and the number of a newer minor version outlive every rewriting")
    func unknownFields() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        store.close()
        var journal = JournalBytes(try group.bytes())
        let fields: [(type: UInt16, value: [UInt8])] = [(7, [1, 2, 3]), (900, []), (7, [9])]
        try journal.setFields(fields, minor: 4, keys: group.keys)
        try group.overwrite(journal.bytes)
        try group.forgetPage()
        let again = try group.open()
        #expect(try again.secret(1, in: 1) == Boxes.record(1, in: 1).secret)
        func expectFields(_ comment: Comment) throws {
            let now = JournalBytes(try group.bytes())
            #expect(now.uint16(at: 10) == 4, comment)
            let start = 128 + Int(now.uint32(at: 52))
            // The hash of the group's name follows them.
            #expect(now.uint32(at: 104) == 3 + 4 + 4 + 1 + 4 + 36, comment)
            #expect(Array(now.bytes[start..<start + 7]) == [7, 0, 3, 0, 1, 2, 3], comment)
        }
        try again.write([Boxes.record(2, in: 1)])
        try again.compact(until: .standard)
        try expectFields("compaction")
        try again.commit(until: .standard) { _, batch throws(StorageError) in
            for number in 0..<9000 as Range<UInt64> { try batch.put(Boxes.record(number, in: number)) }
        }
        try expectFields("large transaction")
        let keys = try group.keys.nextEpoch()
        group.ring.add(keys)
        try again.replaceKeys(with: keys, slots: ScratchGroup.slots(for: keys), until: .standard) {
            _,
            _,
            _,
            _ throws(StorageError) in (Boxes.box(1, count: 60), Boxes.box(2, count: 60))
        }
        try expectFields("rekey")
        let index = JournalBytes(try group.bytes()).uint64(at: 72)
        try group.flip(at: Int(index) + 50)
        #expect(try group.repair().isRepaired)
        try expectFields("repair")
    }

    @Test("files of other formats or that end in their header", arguments: Stranger.all)
    func strangers(_ stranger: Stranger) throws {
        let group = try ScratchGroup()
        try group.create().close()
        let bytes = stranger.bytes(try group.bytes())
        try group.overwrite(bytes)
        #expect(code { try group.open() } == stranger.code)
        #expect(code { try group.open(.readOnly) } == stranger.code)
        #expect(code { try group.create() } == .exists)
        #expect(try group.wholeFile() == bytes)
    }

    struct Stranger: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: StorageError.Code
        let bytes: @Sendable ([UInt8]) -> [UInt8]

        static let all = [
            Stranger(testDescription: "empty", code: .damaged) { _ in [] },
            Stranger(testDescription: "one byte", code: .damaged) { Array($0[..<1]) },
            Stranger(testDescription: "half a header", code: .damaged) { Array($0[..<2000]) },
            Stranger(testDescription: "header only", code: .damaged) { Array($0[..<4096]) },
            Stranger(testDescription: "JSON", code: .foreign) { _ in Array(repeating: UInt8(ascii: "{"), count: 9000) },
            Stranger(testDescription: "zeros", code: .foreign) { _ in Array(repeating: 0, count: 9000) },
        ]
    }

    @Test("a missing journal is notFound, and one removed under an open store is reported")
    func missing() throws {
        let group = try ScratchGroup()
        _ = try group.directory()
        #expect(code { try group.open() } == .notFound)
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        try group.directory().removeFile("journal")
        #expect(store.hasUnannouncedChanges())
        #expect(code { try store.refresh(until: .standard) } == .notFound)
        #expect(code { try store.write([Boxes.record(2, in: 1)]) } == .notFound)
        #expect(try store.secret(1, in: 1) == Boxes.record(1, in: 1).secret)
    }

    @Test("of many that create a group at once, one does and the others get exists")
    func creationRace() async throws {
        for _ in 0..<20 {
            let group = try ScratchGroup()
            let codes = await withTaskGroup(of: StorageError.Code?.self) { tasks in
                for _ in 0..<4 { tasks.addTask { code { try group.create() } } }
                return await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.count { $0 == .exists } == 3)
            try group.open().write([Boxes.record(1, in: 1)])
        }
    }

    @Test("a store that may only read says so and leaves every file alone")
    func readOnly() throws {
        let group = try ScratchGroup()
        let writer = try group.create()
        try writer.write([Boxes.record(1, in: 1)])
        let reader = try group.open(.readOnly)
        #expect(reader.readOnlyReason?.code == .readOnly)
        #expect(code { try reader.write([Boxes.record(2, in: 1)]) } == .readOnly)
        #expect(code { try reader.compact(until: .standard) } == .readOnly)
        try writer.write([Boxes.record(2, in: 1)])
        #expect(try reader.refresh(until: .standard) == .partitions([Boxes.partition(1)]))
        #expect(try reader.verify().isSound)
        #expect(try reader.statistics.recordCount == 2)
    }

    @Test(
        "pages that only look like a header do not hide a copy behind them",
        arguments: [true, false],
        [true, false]
    )
    func lookalikesBefore(areForeign: Bool, isFirstForeign: Bool) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write((1...40).map { Boxes.record($0, in: $0, secret: 2_000) })
        try store.compact(until: .standard)
        store.close()
        var journal = JournalBytes(try group.bytes())
        let other = try ScratchGroup()
        try other.create().close()
        let foreign = try other.bytes()[..<4096]
        let sound = journal.bytes[..<4096]
        try #require(journal.framesOffset > 4096 * 10)
        for number in 1...8 {
            var page = JournalBytes(Array(areForeign ? foreign : sound))
            page.bytes[4063] ^= 1
            page.put(UInt64(4096 * (number + 1)), 8, at: 88)
            journal.bytes.replaceSubrange(4096 * number..<4096 * (number + 1), with: page.bytes)
        }
        if isFirstForeign {
            journal.bytes.replaceSubrange(..<4096, with: foreign)
        } else {
            journal.bytes[0] ^= 1
        }
        try group.overwrite(journal.bytes)
        let report = try group.repair()
        #expect(report.keptRecordCount >= 20 && report.isRepaired)
        #expect(try group.open().verify().isSound)
    }

    @Test("if no header verifies but other keys may open one, a repair says so and does not start over")
    func otherKeys() throws {
        let group = try ScratchGroup()
        try group.create().write([Boxes.record(1, in: 1)])
        let other = try ScratchGroup()
        try other.create().close()
        var bytes = try group.bytes()
        bytes[0] ^= 1
        bytes[JournalBytes(bytes).framesOffset - 4096] ^= 1
        bytes += [UInt8](repeating: 0, count: 4096 - bytes.count % 4096)
        var page = JournalBytes(Array(try other.bytes()[..<4096]))
        page.put(UInt64(bytes.count + 4096), 8, at: 88)
        bytes += page.bytes
        try group.overwrite(bytes)
        #expect(code { _ = try group.repairIfPossible() } == .keyRejected)
        #expect(try group.wholeFile() == bytes)
    }

    /// A group of whose header and copy a bit is flipped, with pages that only look like a header behind them.
    private static func withLookalikes(_ count: Int) throws -> (ScratchGroup, bytes: [UInt8]) {
        let group = try ScratchGroup()
        try group.create().write([Boxes.record(1, in: 1)])
        var journal = JournalBytes(try group.bytes())
        journal.bytes[4063] ^= 1
        journal.bytes[journal.framesOffset - 33] ^= 2
        journal.bytes += [UInt8](repeating: 0, count: 4096 - journal.bytes.count % 4096)
        for _ in 0..<count {
            var page = JournalBytes(Array(journal.bytes[..<4096]))
            page.put(UInt64(journal.bytes.count + 4096), 8, at: 88)
            journal.bytes += page.bytes
        }
        try group.overwrite(journal.bytes)
        return (group, journal.bytes)
    }

    @Test("the second page that asks for something is not asked about once the deadline has passed")
    func lookalikesAndDeadline() throws {
        let (group, bytes) = try Self.withLookalikes(3)
        let unlockCount = Mutex(0)
        let refusal = code {
            _ = try FileStore.repair(
                in: group.directory(.readWrite),
                until: .after(.zero),
                dryRun: true,
                costs: { unlockCount.withLock { $0 } }
            ) { _, _ throws(StorageError) in
                unlockCount.withLock { $0 += 1 }
                throw StorageError(.keyRejected)
            }
        }
        #expect(refusal == .keyRejected)
        #expect(unlockCount.withLock { $0 } == 1 + 1)
        #expect(try group.wholeFile() == bytes)
    }

    @Test("pages that only look like a header cause a few prompts at most", arguments: [2, 40])
    func lookalikes(count: Int) throws {
        let (group, bytes) = try Self.withLookalikes(count)
        let ring = group.ring
        let unlockCount = Mutex(0)
        let directory = try group.directory(.readWrite)
        let repair = { (isAsking: Bool) throws(StorageError) -> JournalRepairReport? in
            unlockCount.withLock { $0 = 0 }
            return try FileStore.repair(
                in: directory,
                until: .standard,
                dryRun: false,
                costs: { isAsking ? unlockCount.withLock { $0 } : 0 }
            ) { slots, _ throws(StorageError) in
                unlockCount.withLock { $0 += 1 }
                return try ring.keys(for: slots)
            }
        }
        #expect(try repair(false) == nil, "no header is left")
        // The first page, its copy, and the others.
        #expect(unlockCount.withLock { $0 } == 1 + 1 + count)
        if count < 3 {
            #expect(try repair(true) == nil)
        } else {
            #expect(code { _ = try repair(true) } == .damaged)
            #expect(unlockCount.withLock { $0 } == 1 + 4)
        }
        #expect(try group.wholeFile() == bytes)
    }
}
