// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import Testing

/// What a repair cannot keep it sets aside, except what nobody is to have again.
@Suite("The bytes that a repair quarantines")
struct RepairQuarantineTests {
    private static func isIn(_ files: [[UInt8]], _ bytes: [UInt8]) -> Bool {
        files.contains { file in
            (0..<max(file.count - bytes.count + 1, 0)).contains { file[$0..<$0 + bytes.count].elementsEqual(bytes) }
        }
    }

    /// A snapshot with two records in one partition and one in another.
    private static func snapshot() throws -> (ScratchGroup, FileStore) {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 1), Boxes.record(3, in: 3)])
        try store.compact(until: .standard)
        return (group, store)
    }

    /// Spoils everything that tells of the records of a snapshot, but not their secrets.
    private static func spoilRows(of group: ScratchGroup, indexToo: Bool) throws {
        var journal = JournalBytes(try group.wholeFile())
        let blocks = Int(journal.uint64(at: 64))..<Int(journal.uint64(at: 72))
        for offset in blocks { journal.bytes[offset] = 0xFF }
        if indexToo { journal.bytes[blocks.upperBound + 50] ^= 1 }
        try group.overwrite(journal.bytes)
    }

    @Test("are the secrets that no row is left of", arguments: [false, true])
    func secretsOfLostRows(indexToo: Bool) throws {
        let (group, store) = try Self.snapshot()
        store.close()
        try Self.spoilRows(of: group, indexToo: indexToo)
        let plan = try group.repair(dryRun: true)
        let report = try group.repair()
        #expect(plan.quarantinedByteCount == report.quarantinedByteCount)
        let aside = try group.quarantined()
        for (number, partition) in [(1, 1), (2, 1), (3, 3)] as [(UInt64, UInt64)] {
            #expect(Self.isIn(aside, Boxes.record(number, in: partition).secret), "\(number)")
        }
    }

    @Test("include no secret that a row lists, and none if all rows are there")
    func knownSecrets() throws {
        let (group, store) = try Self.snapshot()
        try store.write([Boxes.record(1, in: 1, version: 2)])
        let contents = try store.contents(of: Boxes.partition(3))
        let facts = try #require(contents.records.first).facts
        store.close()
        try group.flip(at: Int(facts.offset) + 3)
        #expect(try group.repair().lostRecordCount == 1)
        let aside = try group.quarantined()
        // The record that is lost, and neither the one that is kept nor the one that was replaced.
        #expect(Self.isIn(aside, Boxes.record(3, in: 3).secret))
        #expect(!Self.isIn(aside, Boxes.record(2, in: 1).secret))
        #expect(!Self.isIn(aside, Boxes.record(1, in: 1).secret))
    }

    @Test("contains no removed secret, even if it was never overwritten")
    func removedSecret() throws {
        let (group, store) = try Self.snapshot()
        _ = try store.refresh(until: .standard)
        let location = try #require(
            try store.contents(of: Boxes.partition(1)).records.first { $0.tag == Boxes.tag(1) }
        ).secret
        try store.write(removing: [Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)])
        store.close()
        var bytes = try group.wholeFile()
        bytes.replaceSubrange(
            Int(location.offset)..<Int(location.offset) + Int(location.length),
            with: Boxes.record(1, in: 1).secret
        )
        try group.overwrite(bytes)
        try Self.spoilRows(of: group, indexToo: true)
        _ = try group.repair()
        let aside = try group.quarantined()
        #expect(!Self.isIn(aside, Boxes.record(1, in: 1).secret))
        #expect(Self.isIn(aside, Boxes.record(2, in: 1).secret))
    }

    /// Puts bytes behind the last transaction, as after a new start of the machine.
    private static func append(_ bytes: [UInt8], to group: ScratchGroup) throws {
        try group.overwrite(try group.bytes() + bytes)
        try group.forgetPage()
    }

    @Test("is the end of a write that never was acknowledged, where something else is damaged")
    func tornTail() throws {
        let (group, store) = try Self.snapshot()
        try store.write([Boxes.record(4, in: 4)])
        store.close()
        // A part of it was never written.
        let tail = Boxes.box(99, count: 1000) + [UInt8](repeating: 0, count: 2000) + Boxes.box(99, count: 2000)
        try Self.append(tail, to: group)
        #expect(try group.repair(dryRun: true).quarantinedByteCount == 0, "nothing is done where nothing is damaged")
        try group.flip(at: Int(try group.header("framesOffset")) - 100)
        let plan = try group.repair(dryRun: true)
        let report = try group.repair()
        #expect(report.findings.map(\.part) == [.headerCopy, .tornTail] && report.keptRecordCount == 4)
        #expect(plan.findings == report.findings && plan.quarantinedByteCount == report.quarantinedByteCount)
        #expect(Self.isIn(try group.quarantined(), tail))
    }

    @Test("include the bytes behind the preallocation that the shared page reports, if something else is damaged")
    func behindRoom() throws {
        let (group, store) = try Self.snapshot()
        try store.write([Boxes.record(4, in: 4)])
        store.close()
        let tail = Boxes.box(98, count: 700)
        try group.overwrite(try group.bytes() + [UInt8](repeating: 0, count: 4096) + tail)
        try group.flip(at: Int(try group.header("framesOffset")) - 100)
        #expect(try group.repair().keptRecordCount == 4)
        #expect(Self.isIn(try group.quarantined(), tail))
    }

    @Test("is counted once, found in the order of its places, and the same in the plan and in the repair")
    func counts() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        let records = (1...8 as ClosedRange<UInt64>).map { Boxes.record($0, in: $0, secret: 504) }
        try store.write(records)
        try store.write([Boxes.record(20, in: 20)])
        store.close()
        let frame = Int(try group.header("framesOffset"))
        try Self.append(Boxes.box(97, count: 3000), to: group)
        // In a lead, and in some of the boxes.
        try group.flip(at: frame + 41)
        for number in 0..<4 { try group.flip(at: frame + 1000 + 704 * 2 + number * 900) }
        let plan = try group.repair(dryRun: true)
        let size = UInt64(try group.bytes().count)
        let report = try group.repair()
        #expect(plan.findings == report.findings && plan.findings.count > 3)
        #expect(plan.findings.map(\.offset) == plan.findings.map(\.offset).sorted())
        #expect(plan.quarantinedByteCount == report.quarantinedByteCount)
        #expect(report.quarantinedByteCount <= size - 4096)
        #expect(report.quarantinedFiles.count == 1)
    }

    @Test("is found at places that are in the file, whatever of a list of records is spoiled")
    func placesOfFindings() throws {
        let (group, store) = try Self.snapshot()
        store.close()
        let sound = try group.bytes()
        let blocks = Int(try group.header("blocksOffset"))
        for offset in blocks + 16..<blocks + 16 + 24 + 24 + 2 * 80 {
            for bit in [0, 6] as [UInt8] {
                try group.overwrite(sound)
                try group.flip(at: offset, bit: bit)
                let plan = try group.repair(dryRun: true)
                let isInFile = plan.findings.allSatisfy { $0.offset + $0.byteCount <= UInt64(sound.count) }
                #expect(isInFile, "\(offset), \(bit): \(plan.findings)")
            }
        }
    }

    @Test("is the state file that cannot be read, which counts")
    func stateFile() throws {
        let (group, store) = try Self.snapshot()
        store.close()
        let path = URL(filePath: try group.directory().path(of: GroupDirectory.FileName.state))
        try Data("hello\n".utf8).write(to: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.path())
        #expect(try group.repair(dryRun: true).quarantinedByteCount == 6)
        let report = try group.repair()
        #expect(report.quarantinedByteCount == 6 && report.quarantinedFiles.count == 1)
        #expect(Self.isIn(try group.quarantined(), Array("hello\n".utf8)))
    }
}
