// SPDX-License-Identifier: Apache-2.0

import FileStorage
import GroupDirectory
import RecordStorage
import Sealing
import Testing

@Suite("Verifying and figures")
struct VerificationTests {
    @Test("finds nothing in a sound journal with snapshot and frames")
    func sound() throws {
        let (group, store) = try Self.sampleGroup()
        let report = try store.verify()
        #expect(report.findings.isEmpty)
        #expect(report.byteCount == UInt64(try group.bytes().count))
        #expect(report.recordCount == 13)
        #expect(report.frameCount == 2)
    }

    @Test("reports which record has a damaged box, and the others stay readable", arguments: [true, false])
    func damagedBox(inSnapshot: Bool) throws {
        let (group, store) = try Self.sampleGroup()
        let number: UInt64 = inSnapshot ? 3 : 20
        let contents = try store.contents(of: Boxes.partition(number / 4))
        let record = try #require(contents.records.first { $0.tag == Boxes.tag(number) })
        try group.flip(at: Int(record.secret.offset) + 30)
        let report = try store.verify()
        #expect(report.findings.map(\.part) == [.secret])
        #expect(report.findings.first?.record == Boxes.tag(number))
        #expect(!report.isSound)
        try store.write([Boxes.record(number, in: number / 4, version: 8)])
        #expect(try store.verify().isSound)
    }

    @Test("the figures agree with the bytes written")
    func statistics() throws {
        let (group, store) = try Self.sampleGroup()
        let statistics = try store.statistics
        #expect(statistics.byteCount == UInt64(try group.bytes().count))
        #expect(statistics.recordCount == 13)
        #expect(statistics.partitionCount == 4)
        #expect(statistics.sequence == 3)
        #expect(statistics.frameCount == 2)
        #expect(statistics.epoch == 1)
        #expect(statistics.deadByteCount > 0)
        #expect(statistics.isPageShared)
    }

    /// Twelve records in a snapshot, one of them replaced behind it, and one more.
    static func sampleGroup() throws -> (group: ScratchGroup, store: FileStore) {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write((0..<12).map { Boxes.record($0, in: $0 / 4, searchTags: [$0 % 3]) })
        try store.compact(until: .standard)
        _ = try store.refresh(until: .standard)
        try store.write([Boxes.record(1, in: 0, version: 1)])
        try store.write([Boxes.record(20, in: 5)])
        return (group, store)
    }
}

@Suite("Repair")
struct RepairTests {
    @Test("does nothing where nothing is wrong")
    func sound() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        store.close()
        let before = try group.bytes()
        let report = try group.repair()
        #expect(!report.wasDamaged && !report.isRepaired && report.keptRecordCount == 13)
        #expect(try group.bytes() == before)
    }

    @Test("restores a journal whose header was spoiled, from the copy")
    func header() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        store.close()
        try group.flip(at: 70)
        #expect(throws: StorageError.self) { try group.open() }
        let report = try group.repair()
        #expect(report.isRepaired && report.keptRecordCount == 13 && report.lostRecordCount == 0)
        try Self.expectAll(group, sequence: 4)
    }

    @Test("restores a journal whose index was spoiled, from the partitions")
    func index() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        store.close()
        try group.flip(at: Int(try group.header("indexOffset")) + 50)
        #expect(throws: StorageError.self) { try group.open() }
        #expect(try group.repair(dryRun: true).keptRecordCount == 13)
        let report = try group.repair()
        #expect(report.isRepaired && report.keptRecordCount == 13)
        try Self.expectAll(group, sequence: 4)
    }

    @Test("loses a transaction whose list of records was spoiled, and only that", arguments: [50, 75, 90, 110, 180])
    func transaction(offset: Int) throws {
        let (group, store) = try VerificationTests.sampleGroup()
        try store.write([Boxes.record(30, in: 7)])
        store.close()
        try group.flip(at: Int(try group.header("framesOffset")) + offset)
        #expect(code { try group.open() } == .damaged)
        let plan = try group.repair(dryRun: true)
        let report = try group.repair()
        for report in [plan, report] {
            #expect(report.wasDamaged && report.keptRecordCount == 14)
            #expect(report.lostTransactionCount == 1 && report.lostRecordCount == 0 && report.hasUnknownLoss)
            #expect(report.quarantinedByteCount > 0)
        }
        #expect(report.quarantinedFiles.count == 1)
        let again = try group.open()
        // What the lost transaction replaced is there again.
        #expect(try again.secret(1, in: 0) == Boxes.record(1, in: 0).secret)
        #expect(try again.secret(20, in: 5) == Boxes.record(20, in: 5).secret)
        #expect(try again.secret(30, in: 7) == Boxes.record(30, in: 7).secret)
        #expect(try again.write([Boxes.record(31, in: 7)]) == 6)
    }

    @Test("loses a partition whose list of records was spoiled, and only that", arguments: [true, false])
    func partition(hasIndex: Bool) throws {
        let (group, store) = try VerificationTests.sampleGroup()
        store.close()
        try group.flip(at: Int(try group.header("blocksOffset")) + 60)
        if !hasIndex { try group.flip(at: Int(try group.header("indexOffset")) + 50) }
        let report = try group.repair()
        #expect(report.isRepaired && report.hasUnknownLoss == !hasIndex)
        #expect(report.lostRecordCount == (hasIndex ? 4 : 0))
        // A record that was saved after the snapshot stays.
        #expect([9, 10].contains(report.keptRecordCount))
        #expect(try group.open().verify().findings.isEmpty)
    }

    @Test("loses one partition of a large transaction whose list of records was spoiled")
    func largeTransaction() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        try store.write((0..<40).map { Boxes.record($0, in: $0) })
        #expect(try store.statistics.frameCount == 0)
        try store.write([Boxes.record(50, in: 50)])
        store.close()
        try group.flip(at: Int(try group.header("blocksOffset")) + 60)
        let report = try group.repair()
        #expect(report.isRepaired && report.keptRecordCount == 40 && report.lostRecordCount == 1)
        #expect(!report.hasUnknownLoss)
    }

    @Test("keeps everything if the first pages are lost", arguments: [4096, 12_288, 65_536])
    func firstPages(count: Int) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        for number in 0..<5 as Range<UInt64> { try store.write([Boxes.record(number, in: number)]) }
        store.close()
        var bytes = try group.wholeFile()
        bytes.replaceSubrange(..<count, with: [UInt8](repeating: 0, count: count))
        try group.overwrite(bytes)
        #expect(code { try group.open() } != nil)
        let report = try group.repair()
        #expect(report.isRepaired && report.keptRecordCount == 5)
        #expect(report.lostRecordCount == 0 && report.lostTransactionCount == 0)
        #expect(try group.open().secret(4, in: 4) == Boxes.record(4, in: 4).secret)
    }

    @Test("no older version takes the place of a newer one that is lost")
    func olderVersion() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        let contents = try store.contents(of: Boxes.partition(0))
        let record = try #require(contents.records.first { $0.tag == Boxes.tag(1) })
        try store.write([Boxes.record(30, in: 7)])
        store.close()
        try group.flip(at: Int(record.secret.offset) + 3)
        let report = try group.repair()
        #expect(report.lostRecordCount == 1 && !report.hasUnknownLoss && report.keptRecordCount == 13)
        #expect(try group.open().secret(1, in: 0) == nil)
    }

    @Test("a zeroed page is damage, not a removal")
    func zeroedPage() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        store.close()
        var bytes = try group.bytes()
        for offset in 16_384..<20_480 { bytes[offset] = 0 }
        try group.overwrite(bytes)
        let report = try group.repair()
        #expect(report.erasedRecordCount == 0)
        #expect(report.lostRecordCount == 13 - report.keptRecordCount)
        #expect(report.lostRecordCount >= 8)
    }

    @Test("keeps the transaction behind one that is missing")
    func missingTransaction() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        try store.write([Boxes.record(30, in: 7)])
        store.close()
        let journal = JournalBytes(try group.bytes())
        var frames = journal.frames.map { Array(journal.bytes[$0]) }
        frames.remove(at: 1)
        try group.forgetPage()
        try group.overwrite(journal.withFrames(frames))
        #expect(code { try group.open() } == .damaged)
        let report = try group.repair()
        #expect(report.isRepaired && report.lostTransactionCount == 1 && report.keptRecordCount == 13)
        let again = try group.open()
        #expect(try again.secret(20, in: 5) == nil)
        #expect(try again.secret(30, in: 7) == Boxes.record(30, in: 7).secret)
    }

    @Test("accepts an older journal only if told to, and continues behind the newest known transaction")
    func cutAtFrames() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        store.close()
        let journal = JournalBytes(try group.bytes())
        try group.overwrite(journal.withFrames([]))
        #expect(code { try group.open() } == .rollbackSuspected)
        #expect(code { try group.repair() } == .rollbackSuspected)
        #expect(try group.wholeFile() == journal.withFrames([]))
        let plan = try group.repair(dryRun: true, acceptsRollback: true)
        let report = try group.repair(acceptsRollback: true)
        #expect(plan.missingTransactionCount == 2 && report.missingTransactionCount == 2)
        #expect(report.isRepaired && report.lostTransactionCount == 0 && report.keptRecordCount == 12)
        let again = try group.open()
        #expect(try again.secret(1, in: 0) == Boxes.record(1, in: 0).secret)
        #expect(try again.write([Boxes.record(40, in: 4)]) == 5)
        #expect(JournalBytes(try group.bytes()).bytes[32..<48] != journal.bytes[32..<48])
    }

    @Test("keeps what is left of a file that ends within its snapshot, page or not", arguments: [true, false])
    func cutInSnapshot(hasPage: Bool) throws {
        let (group, store) = try VerificationTests.sampleGroup()
        store.close()
        if !hasPage { try group.forgetPage() }
        let index = Int(try group.header("indexOffset"))
        try group.overwrite(Array(try group.bytes()[..<index]))
        #expect(code { try group.open() } == .damaged)
        let report = try group.repair()
        #expect(report.isRepaired && report.keptRecordCount == 12)
        #expect(report.lostTransactionCount == (hasPage ? 2 : 0))
        #expect(try group.open().secret(11, in: 2) == Boxes.record(11, in: 2).secret)
    }

    @Test("a page with impossible offsets is not a header", arguments: [0, 4095, 5000] as [UInt64])
    func impossibleLocations(framesOffset: UInt64) throws {
        let (group, store) = try VerificationTests.sampleGroup()
        store.close()
        var journal = JournalBytes(try group.bytes())
        journal.put(framesOffset, 8, at: 88)
        // Once more where a copy is looked for.
        let page = Array(journal.bytes[..<4096])
        journal.bytes[40] ^= 1
        journal.bytes.replaceSubrange(4096..<8192, with: page)
        try group.overwrite(journal.bytes)
        #expect(code { try group.open() } == .damaged)
        #expect(code { try group.repair(dryRun: true) } == nil)
    }

    @Test("a record is gone whose secret was overwritten, although the removal was lost")
    func spoiledRemoval() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        let removal = try group.bytes().count
        try store.write(removing: [Removal(tag: Boxes.tag(2), partition: Boxes.partition(0), erasesSecret: true)])
        try store.write([Boxes.record(30, in: 7)])
        store.close()
        try group.flip(at: removal + 60)
        #expect(throws: StorageError.self) { try group.open() }
        let report = try group.repair()
        #expect(report.lostTransactionCount == 1 && report.erasedRecordCount == 1)
        #expect(report.lostRecordCount == 0 && report.keptRecordCount == 13)
        #expect(try group.open().secret(2, in: 0) == nil)
    }

    @Test("a file of which not even a header is left stays as it is")
    func nothingLeft() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        store.close()
        let garbage = Boxes.box(1, count: 50_000)
        try group.overwrite(garbage)
        #expect(try group.repairIfPossible() == nil)
        #expect(try group.bytes() == garbage)
    }

    private static func expectAll(_ group: ScratchGroup, sequence: UInt64) throws {
        let again = try group.open()
        #expect(try again.secret(1, in: 0) == Boxes.record(1, in: 0, version: 1).secret)
        for number in [0, 2, 11, 20] as [UInt64] {
            #expect(try again.secret(number, in: number / 4) == Boxes.record(number, in: 0).secret)
        }
        #expect(try again.partitions(under: SearchTag(rawValue: 1)).count == 2)
        #expect(try again.write([Boxes.record(99, in: 9)]) == sequence + 1)
    }
}

@Suite("Replacing keys")
struct KeyReplacementTests {
    @Test("a rekey re-encrypts every record and other handles follow")
    func rekey() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        let reader = try group.open()
        let keys = try group.keys.nextEpoch()
        group.ring.add(keys)
        let slots = try ScratchGroup.slots(for: keys)
        var count = 0
        try store.replaceKeys(with: keys, slots: slots, until: .standard) { _, _, facts, secret throws(StorageError) in
            count += 1
            guard let secret else { return (Self.inverted(facts), []) }
            return (Self.inverted(facts), Self.inverted(secret))
        }
        #expect(count == 13)
        #expect(try store.refresh(until: .standard) == .everything)
        #expect(try reader.refresh(until: .standard) == .everything)
        for store in [store, reader, try group.open()] {
            #expect(store.epoch == 2)
            #expect(try store.keySlots == slots)
            let expected = Boxes.record(1, in: 0, version: 1).secret.map { ~$0 }
            #expect(try store.secret(1, in: 0) == expected)
            #expect(try store.contents(of: Boxes.partition(5)).records.first?.sequence == 3)
            #expect(try store.contents(of: Boxes.partition(5)).reader.epoch == 2)
        }
        #expect(try reader.write([Boxes.record(40, in: 5)]) == 4)
    }

    @Test("other slots under the same keys change nothing in the records")
    func otherSlots() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        let slots = try ScratchGroup.slots(for: group.keys)
        try store.replaceKeys(with: group.keys, slots: slots, until: .standard) { _, _, _, _ throws(StorageError) in
            throw StorageError(.system)
        }
        let again = try group.open()
        #expect(try again.keySlots == slots)
        #expect(try again.secret(1, in: 0) == Boxes.record(1, in: 0, version: 1).secret)
        #expect(again.epoch == 1)
    }

    @Test("keys of another group, older keys and other keys of the same epoch are refused")
    func refused() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        let before = try group.bytes()
        let other = try GroupKeys.generate()
        let sameEpoch = try GroupKeys.generate(uuid: group.keys.uuid)
        for keys in [other, sameEpoch] {
            let slots = try ScratchGroup.slots(for: keys)
            #expect(throws: StorageError.self) {
                try store.replaceKeys(with: keys, slots: slots, until: .standard) { _, _, _, _ throws(StorageError) in
                    throw StorageError(.system)
                }
            }
        }
        #expect(try group.bytes() == before)
    }

    @Test("an error while resealing leaves the old journal in force")
    func givesUp() throws {
        let (group, store) = try VerificationTests.sampleGroup()
        let before = try group.files()
        let keys = try group.keys.nextEpoch()
        let slots = try ScratchGroup.slots(for: keys)
        #expect(throws: StorageError(.damaged, detail: "no")) {
            try store.replaceKeys(with: keys, slots: slots, until: .standard) { _, _, _, _ throws(StorageError) in
                throw StorageError(.damaged, detail: "no")
            }
        }
        #expect(try group.files() == before)
        #expect(try group.open().epoch == 1)
    }

    private static func inverted(_ bytes: RawSpan) -> [UInt8] {
        (0..<bytes.byteCount).map { unsafe ~bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
}
