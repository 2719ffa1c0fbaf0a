// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Synchronization
import Testing

@testable import FileStorage

@Suite("A journal that another one is written over while it is in use")
struct OverwrittenJournalTests {
    /// How somebody puts a backup back without a new file.
    enum Way: String, CaseIterable, Sendable {
        /// Emptied first, as `cp` does.
        case emptied
        /// Block by block over what is there, cut to length at the end, as `rsync --inplace` does.
        case inPlace

        /// Writes the first `count` bytes of a backup, and only then, if that is all of it, sets the length.
        func put(_ backup: [UInt8], count: Int? = nil, over journal: URL) throws {
            let file = try FileHandle(forUpdating: journal)
            if self == .emptied { try file.truncate(atOffset: 0) }
            try file.seek(toOffset: 0)
            try file.write(contentsOf: Data(backup.prefix(count ?? backup.count)))
            if count == nil { try file.truncate(atOffset: UInt64(backup.count)) }
            try file.close()
        }
    }

    let group: ScratchGroup
    /// Works with a journal that was written anew after the backup was made.
    let writer: FileStore
    let backup: [UInt8]

    init() throws {
        group = try ScratchGroup()
        writer = try group.create()
        try writer.write((1...40).map { Boxes.record($0, in: $0) })
        try writer.write([Boxes.record(41, in: 1)])
        backup = try group.wholeFile()
        try writer.compact(until: .standard)
        _ = try writer.refresh(until: .standard)
    }

    private func expectAllOfBackup(_ store: FileStore) throws {
        for number in 1...40 as ClosedRange<UInt64> {
            #expect(try store.secret(number, in: number) == Boxes.record(number, in: number).secret)
        }
        #expect(try store.secret(41, in: 1) == Boxes.record(41, in: 1).secret)
    }

    @Test(
        "a save goes into what is there then, and nothing of that is cut off",
        arguments: Way.allCases,
        [false, true]
    )
    func restored(_ way: Way, hasFrames: Bool) throws {
        if hasFrames { try writer.write([Boxes.record(50, in: 50)]) }
        try way.put(backup, over: group.journal)
        if hasFrames {
            // It lacks a transaction that was saved since.
            #expect(code { try writer.write([Boxes.record(60, in: 60)]) } == .rollbackSuspected)
            #expect(try group.wholeFile() == backup)
            #expect(try group.repair(acceptsRollback: true).missingTransactionCount == 1)
        }
        try writer.write([Boxes.record(60, in: 60)])
        let store = try group.open()
        try expectAllOfBackup(store)
        try expectAllOfBackup(writer)
        #expect(try store.secret(60, in: 60) == Boxes.record(60, in: 60).secret)
        #expect(try store.secret(50, in: 50) == nil)
        #expect(try store.verify().findings.isEmpty)
        #expect(try group.quarantined().isEmpty)
    }

    @Test(
        "a save fails, and changes nothing, as long as only a part of the other one is there",
        arguments: Way.allCases,
        [false, true]
    )
    func halfRestored(_ way: Way, hasFrames: Bool) throws {
        if hasFrames { try writer.write([Boxes.record(50, in: 50)]) }
        let end = try #require(backup.lastIndex { $0 != 0 })
        let frames = JournalBytes(backup).framesOffset
        for count in [100, 4095, 4096, 5000, frames - 1, frames, frames + 1, frames + 300, end] {
            try way.put(backup, count: count, over: group.journal)
            let before = try group.wholeFile()
            let failure = code { try writer.write([Boxes.record(60, in: 60)]) }
            // With its index it is a journal, and an older one.
            let isOlder = failure == .rollbackSuspected && count >= frames - 1
            #expect(failure == .damaged || isOlder, "\(count) bytes")
            #expect(try group.wholeFile() == before, "\(count) bytes")
            #expect(try group.quarantined().isEmpty)
        }
        try way.put(backup, over: group.journal)
        if hasFrames { _ = try group.repair(acceptsRollback: true) }
        try writer.write([Boxes.record(70, in: 70)])
        try expectAllOfBackup(try group.open())
    }

    @Test("a first transaction counts as torn only if the copy of the header precedes it")
    func copyOfHeader() throws {
        let frames = Int(try group.header("framesOffset"))
        try group.forgetPage()
        let good = try group.wholeFile()
        var torn = good
        torn.replaceSubrange(frames..<frames + 5, with: [1, 2, 3, 4, 5])
        try group.overwrite(torn)
        #expect(try group.open().statistics.tornByteCount == 5)
        torn[frames - 4096 + 40] ^= 1
        try group.overwrite(torn)
        #expect(code { try group.open() } == .damaged)
        #expect(code { try writer.write([Boxes.record(60, in: 60)]) } == .damaged)
        #expect(try group.wholeFile() == torn)
        #expect(try group.quarantined().isEmpty)
    }

    @Test("a reader notices, also without a transaction", arguments: Way.allCases)
    func reader(_ way: Way) throws {
        let reader = try group.open(.readOnly)
        #expect(!reader.hasUnannouncedChanges())
        var other = backup
        // As long as the journal in use: file and length tell nothing.
        let count = try group.wholeFile().count
        other = Array((other + [UInt8](repeating: 0, count: count)).prefix(max(count, backup.count)))
        try way.put(other, over: group.journal)
        #expect(reader.hasUnannouncedChanges())
        #expect(try reader.refresh(until: .standard) == .everything)
        try expectAllOfBackup(reader)
    }

    @Test("a compaction that was copying it leaves it alone", arguments: Way.allCases, [false, true])
    func compaction(_ way: Way, hasFrames: Bool) throws {
        if hasFrames { try writer.write([Boxes.record(50, in: 50)]) }
        var isRestored = false
        let compactor = Compactor(store: writer) {
            if !isRestored {
                isRestored = true
                do { try way.put(backup, over: group.journal) } catch { Issue.record(error) }
            }
            return false
        }
        // What was read of the one and of the other does not go together, or nobody wants the copy.
        let isDone = try? compactor.run(until: { .standard })
        #expect(isDone != true)
        #expect(isRestored)
        #expect(try group.wholeFile() == backup)
        if hasFrames { _ = try group.repair(acceptsRollback: true) }
        try writer.write([Boxes.record(60, in: 60)])
        try expectAllOfBackup(try group.open())
    }
}
