// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Synchronization
import SystemPackage
import Testing

@testable import FileStorage

@Suite("Torn against damaged")
struct TornTailTests {
    /// What stands behind the last good frame.
    enum Tail: String, CaseIterable, Sendable {
        case zeros, noise, fewBytes, halfFrame, leadOnly, unwrittenSector, wholeFrameWithWrongBox,
            wholeFrameWithWrongHead

        /// These bytes, of a frame that would begin at `offset`.
        func bytes(_ frame: [UInt8], at offset: Int) -> [UInt8] {
            let sector = (512 - offset % 512)..<(1024 - offset % 512)
            return switch self {
            case .zeros: [UInt8](repeating: 0, count: 5000)
            case .noise: Boxes.box(5, count: 3001)
            case .fewBytes: [1, 2, 3]
            case .halfFrame: Array(frame[..<(frame.count / 2)])
            case .leadOnly: Array(frame[..<48])
            case .unwrittenSector:
                frame[..<sector.lowerBound] + [UInt8](repeating: 0, count: 512) + frame[sector.upperBound...]
            case .wholeFrameWithWrongBox: frame.dropLast(88) + [UInt8](repeating: 0xEE, count: 40) + frame.suffix(48)
            case .wholeFrameWithWrongHead: frame[..<80] + [frame[80] ^ 1] + frame[81...]
            }
        }

        /// Whether all of it was written, so that it is not simply an interrupted write.
        var isComplete: Bool {
            switch self {
            case .noise, .wholeFrameWithWrongBox, .wholeFrameWithWrongHead: true
            case .zeros, .fewBytes, .halfFrame, .leadOnly, .unwrittenSector: false
            }
        }

        var finding: JournalFinding.Part { isComplete ? .unproven : .tornTail }
    }

    @Test("zeros are room, however many, and the next transaction overwrites them", arguments: [5, 5000, 3_000_000])
    func room(count: Int) throws {
        let (group, good, _) = try Self.sample()
        try group.forgetPage()
        try group.overwrite(good + [UInt8](repeating: 0, count: count))
        let store = try group.open()
        #expect(try store.statistics.tornByteCount == 0)
        #expect(try store.statistics.byteCount == UInt64(good.count))
        #expect(try store.verify().findings.isEmpty)
        #expect(try store.write([Boxes.record(1, in: 1, version: 7)]) == 4)
        #expect(try group.open().secret(1, in: 1) == Boxes.record(1, in: 1, version: 7).secret)
        #expect(try group.quarantined().isEmpty)
    }

    @Test("bytes in the room, after zeros, are a torn tail too: a disk writes blocks in any order")
    func laterBlock() throws {
        let (group, good, last) = try Self.sample()
        // Its first sectors were not written.
        let count = (good.count + 200) / 512 * 512 + 512 - good.count
        let bytes = [UInt8](repeating: 0, count: count) + last.dropFirst(count)
        try group.forgetPage()
        try group.overwrite(good + bytes + [UInt8](repeating: 0, count: 8192))
        let store = try group.open()
        #expect(try store.verify().findings.map(\.part) == [.tornTail])
        #expect(try store.write([Boxes.record(1, in: 1, version: 7)]) == 4)
        let end = try #require(bytes.lastIndex { $0 != 0 }) + 1
        #expect(try group.quarantined() == [Array(bytes[..<end])])
        #expect(try group.open().verify().findings.isEmpty)
    }

    @Test("a last transaction with a wrong box is valid if bytes of a next one follow, also after zeros")
    func begunBehind() throws {
        let (group, good, last) = try Self.sample()
        let wrong = Tail.wholeFrameWithWrongBox.bytes(last, at: good.count)
        try group.forgetPage()
        try group.overwrite(good + wrong + [UInt8](repeating: 0, count: 4096) + [1])
        let store = try group.open()
        #expect(try store.verify().findings.map(\.part) == [.tornTail, .secret])
    }

    @Test(
        "a tail that nothing proves acknowledged does not count, and the next writer quarantines it",
        arguments: Tail.allCases.filter { $0 != .zeros }
    )
    func torn(_ tail: Tail) throws {
        let (group, good, last) = try Self.sample()
        let bytes = tail.bytes(last, at: good.count)
        try group.forgetPage()
        try group.overwrite(good + bytes)
        let store = try group.open()
        let reader = try group.open(.readOnly)
        #expect(try store.secret(1, in: 1) == Boxes.record(1, in: 1, version: 2).secret)
        let end = try #require(bytes.lastIndex { $0 != 0 }) + 1
        #expect(try store.statistics.tornByteCount == UInt64(end))
        #expect(try store.verify().findings.map(\.part) == [tail.finding])
        #expect(try store.verify().isSound == !tail.isComplete)
        #expect(try group.repair(dryRun: true).wasDamaged == tail.isComplete)
        #expect(try group.wholeFile() == good + bytes)
        #expect(try store.write([Boxes.record(1, in: 1, version: 7)]) == 4)
        #expect(try reader.refresh(until: .standard) == .partitions([Boxes.partition(1)]))
        #expect(try reader.secret(1, in: 1) == Boxes.record(1, in: 1, version: 7).secret)
        #expect(try group.quarantined() == [Array(bytes[..<end])])
        #expect(try group.open().verify().findings.isEmpty)
    }

    @Test("the same tail is damage where the shared page says that it was durable", arguments: Tail.allCases)
    func durable(_ tail: Tail) throws {
        let (group, good, last) = try Self.sample()
        let bytes = good + tail.bytes(last, at: good.count)
        try group.overwrite(bytes)
        switch tail {
        case .zeros:
            #expect(code { try group.open() } == .rollbackSuspected)
            #expect(code { try group.open(.readOnly) } == .rollbackSuspected)
        case .unwrittenSector:
            #expect(try !group.open().verify().isSound)
        case .wholeFrameWithWrongBox:
            // Head and lead vouch for the transaction; only the record whose box is wrong is damaged.
            let store = try group.open()
            #expect(try store.secret(1, in: 1) != Boxes.record(1, in: 1, version: 3).secret)
            #expect(try store.verify().findings.map(\.part) == [.secret])
        default:
            #expect(code { try group.open() } == .damaged)
            #expect(code { try group.open(.readOnly) } == .damaged)
        }
        #expect(try group.wholeFile() == bytes)
        #expect(try group.quarantined().isEmpty)
    }

    @Test(
        "the mark behind a transaction proves that it was acknowledged, without the page",
        arguments: [Tail.wholeFrameWithWrongBox, .wholeFrameWithWrongHead, .unwrittenSector]
    )
    func marked(_ tail: Tail) throws {
        let (group, good, last) = try Self.sample()
        try group.forgetPage()
        let mark = try JournalBytes(good).mark(4, keys: group.keys)
        let bytes = good + tail.bytes(last, at: good.count) + mark + [UInt8](repeating: 0, count: 4096)
        try group.overwrite(bytes)
        guard tail != .wholeFrameWithWrongHead else {
            #expect(code { try group.open() } == .damaged)
            #expect(try group.repair().lostTransactionCount == 1)
            return
        }
        let store = try group.open()
        let damage = try store.verify().findings
        #expect(!damage.isEmpty && damage.allSatisfy { $0.record == Boxes.tag(1) && $0.isDamage })
        #expect(try store.write([Boxes.record(9, in: 9)]) == 5)
        #expect(try group.open().verify().findings == damage)
        #expect(try group.quarantined().isEmpty)
        #expect(try group.wholeFile()[..<(good.count + last.count)].elementsEqual(bytes[..<(good.count + last.count)]))
    }

    @Test("a mark that does not verify any more costs nothing", arguments: 0..<16)
    func spoiledMark(offset: Int) throws {
        let (group, good, _) = try Self.sample()
        try group.overwrite(good)
        try group.forgetPage()
        try group.open().write([Boxes.record(1, in: 1, version: 3)])
        try group.flip(at: try group.bytes().count + offset)
        try group.forgetPage()
        let store = try group.open()
        #expect(try store.secret(1, in: 1) == Boxes.record(1, in: 1, version: 3).secret)
        #expect(try store.verify().isSound)
        #expect(try store.write([Boxes.record(1, in: 1, version: 4)]) == 5)
        #expect(try group.open().verify().findings.isEmpty)
    }

    @Test("a transaction without its lead counts: its trailer says the same", arguments: [true, false])
    func spoiledLead(hasPage: Bool) throws {
        for offset in 0..<48 {
            let (group, good, _) = try Self.sample()
            try group.open().write([Boxes.record(2, in: 2)])
            if !hasPage { try group.forgetPage() }
            let second = JournalBytes(good).frames[1].lowerBound
            let last = JournalBytes(try group.bytes()).frames.last?.lowerBound ?? 0
            for frame in [second, last] { try group.flip(at: frame + offset) }
            let store = try group.open()
            #expect(try store.secret(1, in: 1) == Boxes.record(1, in: 1, version: 3).secret, "byte \(offset)")
            #expect(try store.secret(2, in: 2) == Boxes.record(2, in: 2).secret, "byte \(offset)")
            #expect(try store.verify().findings.map(\.part) == [.frameEdge, .frameEdge], "byte \(offset)")
            try store.write([Boxes.record(3, in: 3)])
            let report = try group.repair()
            #expect(report.keptRecordCount == 3 && report.lostTransactionCount == 0)
            #expect(try group.open().verify().findings.isEmpty)
        }
    }

    @Test("a spoiled list of a transaction with later ones behind it is damage, page or not", arguments: [true, false])
    func inTheMiddle(hasPage: Bool) throws {
        let (group, good, _) = try Self.sample()
        if !hasPage { try group.forgetPage() }
        try group.overwrite(good)
        let second = JournalBytes(good).frames[1]
        for offset in [48, 60, 120] {
            try group.overwrite(good)
            try group.flip(at: second.lowerBound + offset)
            #expect(code { try group.open() } == .damaged, "byte \(offset) of the frame")
        }
    }

    @Test("a transaction is found although the file looks as it did before", arguments: [false, true])
    func sameLook(commits: Bool) throws {
        let (group, _, _) = try Self.sample()
        let (first, second) = (try group.open(), try group.open())
        try first.write([Boxes.record(1, in: 1, version: 5)])
        // Same file, same length.
        let now = try #require(try group.directory().identityWithoutTime(of: "journal"))
        second.core.withLock { $0.state.seen = now }
        if commits {
            #expect(try second.write([Boxes.record(2, in: 1)]) == 6)
        } else {
            #expect(second.hasUnannouncedChanges())
            #expect(try second.refresh(until: .standard) == .partitions([Boxes.partition(1)]))
        }
        #expect(try group.open().secret(1, in: 1) == Boxes.record(1, in: 1, version: 5).secret)
    }

    @Test("an older copy that is written over the journal is noticed, although file and length are the same")
    func olderCopy() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        let copy = try group.wholeFile()
        try store.write([Boxes.record(1, in: 1, version: 5)])
        try #require(try group.wholeFile().count == copy.count)
        #expect(!store.hasUnannouncedChanges())
        let file = try FileHandle(forUpdating: group.journal)
        try file.write(contentsOf: Data(copy))
        try file.close()
        #expect(store.hasUnannouncedChanges())
        // What was durable is not there any more.
        #expect(code { try store.refresh(until: .standard) } == .rollbackSuspected)
    }

    @Test("a reader that is behind sees the tail of a writer at work as not there yet")
    func writerAtWork() throws {
        let (group, good, last) = try Self.sample()
        try group.forgetPage()
        try group.overwrite(good)
        let reader = try group.open()
        try group.overwrite(good + last.dropLast(8))
        #expect(try reader.refresh(until: .standard) == StoreChanges.none)
        try group.overwrite(good + last)
        #expect(try reader.refresh(until: .standard) == .partitions([Boxes.partition(1)]))
        #expect(try reader.secret(1, in: 1) == Boxes.record(1, in: 1, version: 3).secret)
    }

    /// A journal with three transactions, and the bytes of a fourth that would follow.
    private static func sample() throws -> (group: ScratchGroup, good: [UInt8], last: [UInt8]) {
        let group = try ScratchGroup()
        let store = try group.create()
        for version in 0...2 as ClosedRange<UInt64> { try store.write([Boxes.record(1, in: 1, version: version)]) }
        let good = try group.bytes()
        try store.write([Boxes.record(1, in: 1, version: 3)])
        store.close()
        return (group, good, Array(try group.bytes()[good.count...]))
    }
}

extension ScratchGroup {
    /// What was set aside.
    func quarantined() throws -> [[UInt8]] {
        let folder = path.appending("quarantine").string
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return try names.map { try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0))) }
    }
}
