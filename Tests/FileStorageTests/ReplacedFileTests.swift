// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import Synchronization
import SystemPackage
import Testing

#if DEBUG
@Suite("A file that another one took the place of")
struct ReplacedFileTests {
    /// What writes the journal anew.
    enum Replacement: String, CaseIterable, Sendable {
        case compaction, largeTransaction, otherSlots, afterFailedSync

        func run(_ store: FileStore, of group: ScratchGroup) throws {
            switch self {
            case .compaction: try store.compact(until: .standard)
            case .largeTransaction: try store.write((100..<9100).map { Boxes.record($0, in: $0, secret: 600) })
            case .otherSlots:
                let slots = try ScratchGroup.slots(for: group.keys)
                try store.replaceKeys(with: group.keys, slots: slots, until: .standard) {
                    _,
                    _,
                    _,
                    _ throws(StorageError) in throw StorageError(.system)
                }
            case .afterFailedSync:
                SyscallFaults.with([.init(.fdatasync, .ioError, times: 2)]) {
                    _ = try? store.write([Boxes.record(70, in: 7)])
                }
                try store.write([Boxes.record(71, in: 7)])
            }
        }
    }

    @Test(
        "has no secret that was removed, although its remover was killed before it overwrote it",
        arguments: Replacement.allCases
    )
    func killedRemover(_ replacement: Replacement) throws {
        let group = try ScratchGroup()
        let remover = try group.create()
        try remover.write([Boxes.record(1, in: 1, secret: 9000), Boxes.record(2, in: 1)])
        // Opened before: opening would overwrite what is left.
        let store = try group.open()
        let contents = try store.contents(of: Boxes.partition(1))
        let gone = try #require(contents.records.first { $0.tag == Boxes.tag(1) })
        let kept = try #require(contents.records.first { $0.tag == Boxes.tag(2) })
        let old = try FileHandle(forReadingFrom: group.journal)
        // The frame is written, the zeros are not.
        SyscallFaults.with([.init(.pwrite, .ioError, after: 2, times: 100), .init(.fallocate, .ioError, after: 0)]) {
            let removal = Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)
            #expect(throws: Never.self) { try remover.write(removing: [removal]) }
        }
        let secret = Boxes.record(1, in: 1, secret: 9000).secret
        #expect(try group.contains(secret))
        try replacement.run(store, of: group)
        #expect(try !group.contains(secret))
        #expect(try old.readToEnd()?.range(of: Data(secret[4000..<4100])) == nil)
        #expect(code { try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in } } == .tokenGone)
        #expect(code { try contents.reader.withBox(at: kept.secret) { _ throws(StorageError) in } } == nil)
        #expect(try group.open().secret(2, in: 1) == Boxes.record(2, in: 1).secret)
        #expect(try group.open().verify().isSound)
        let names = try group.files()
        #expect(names.filter { $0.hasPrefix("tmp.") }.isEmpty)
    }

    @Test(
        "keeps neither its header nor the header's copy, whose key slots open the group",
        arguments: Replacement.allCases
    )
    func header(_ replacement: Replacement) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 1)])
        try expectNoHeader(of: group) { try replacement.run(store, of: group) }
        #expect(try group.open().secret(2, in: 1) == Boxes.record(2, in: 1).secret)
    }

    @Test("keeps neither its header nor the header's copy after a repair")
    func repaired() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 1)])
        store.close()
        try group.flip(at: Int(group.header("indexOffset")))
        try group.forgetPage()
        try expectNoHeader(of: group) { try #require(group.repair().isRepaired) }
    }

    /// Checks that `replacing` leaves no header in the file that it replaces.
    private func expectNoHeader(of group: ScratchGroup, replacing: () throws -> Void) throws {
        let (framesOffset, start) = (Int(try group.header("framesOffset")), Array(try group.bytes()[..<4096]))
        #expect(try group.bytes()[framesOffset - 4096..<framesOffset].elementsEqual(start))
        let old = try FileHandle(forReadingFrom: group.journal)
        try replacing()
        #expect(try Array(group.bytes()[..<4096]) != start)
        let left = try #require(try old.readToEnd())
        for page in [0, framesOffset - 4096] { #expect(left[page..<page + 4096].allSatisfy { $0 == 0 }) }
    }
}

@Suite("Journals that others keep replacing", .timeLimit(.minutes(5)))
struct ReplacedMeanwhileTests {
    @Test("are never taken for damaged or for no journal, although the old ones lose their headers")
    func sound() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write((0..<20).map { Boxes.record($0, in: $0) })
        let isDone = Mutex(false)
        let count = Mutex(0)
        Thread.detachNewThread {
            defer { isDone.withLock { $0 = true } }
            let other = try? group.open()
            for _ in 0..<300 where (try? other?.compact(until: .standard)) != nil { count.withLock { $0 += 1 } }
        }
        let follower = try group.open()
        var looks = 0
        while !isDone.withLock({ $0 }) {
            looks += 1
            let directory = try group.directory(.readWrite)
            #expect(try FileStore.look(in: directory) == .journal)
            #expect(try FileStore.claimedGroup(in: directory) == group.keys.uuid)
            for store in [try group.open(), follower] {
                // Busy, if it was replaced during each of several attempts.
                let failure = code { _ = try store.refresh(until: .standard) }
                #expect(failure == nil || failure == .busy)
                #expect(try store.verify().isSound)
            }
        }
        #expect(looks > 10 && count.withLock { $0 } > 100, "\(looks) looks")
    }
}
#endif
