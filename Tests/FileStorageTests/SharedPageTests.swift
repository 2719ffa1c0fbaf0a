// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import SystemPackage
import Testing

@Suite("Contents of the shared page")
struct SharedPageTests {
    /// What became of a note that says that three bytes more than the good ones were durable.
    enum Note: String, CaseIterable, Sendable {
        case genuine, earlierBoot, otherJournal, otherKeys, otherNumber, forged
    }

    @Test(
        "durable bytes count only since the last boot, for this journal, and if written with its keys",
        arguments: Note.allCases
    )
    func note(_ kind: Note) throws {
        let group = try ScratchGroup()
        try group.create().write([Boxes.record(1, in: 1)])
        let good = try group.bytes()
        try group.overwrite(good + [1, 2, 3])
        let length = UInt64(good.count + 3)
        let boot = try #require(BootID.current)
        let note =
            switch kind {
            case .genuine: try group.note(length)
            case .earlierBoot: try group.note(length, boot: BootID(first: boot.first ^ 1, second: boot.second))
            case .otherJournal: try group.note(length, journal: [UInt8](repeating: 7, count: 16))
            case .otherKeys: try group.note(length, keys: .generate())
            case .otherNumber: try RevisionNote(number: length, hash: group.note(length - 1).hash)
            case .forged: RevisionNote(number: length, hash: (0, 0))
            }
        try group.directory(.readWrite).revision.announce(1, note: note)
        #expect(code { try group.open() } == (kind == .genuine ? .damaged : nil))
    }

    @Test(
        "arbitrary bytes lose nothing and block no process",
        // Magic and version, the word, what was told, the note, and what means nothing.
        arguments: [0, 8, 16, 56, 64, 72, 80, 88, 96, 104, 4088],
        [0, 1, .max, .max - 1, 1 << 63] as [UInt64]
    )
    func extremes(offset: Int, value: UInt64) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 1)])
        let page = try group.directory().openFile("revision", .readingAndWriting)
        let spoil = {
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            try Syscalls.write(page.descriptor, at: UInt64(offset), bytes)
        }
        try spoil()
        _ = try store.refresh(until: .standard)
        try store.write([Boxes.record(3, in: 1)])
        try spoil()
        let other = try group.open()
        try spoil()
        try other.write(removing: [Removal(tag: Boxes.tag(2), partition: Boxes.partition(1), erasesSecret: true)])
        try spoil()
        try store.compact(until: .standard)
        try spoil()
        let last = try group.open()
        #expect(try last.verify().isSound)
        for number in [1, 3] as [UInt64] {
            #expect(try last.secret(number, in: 1) == Boxes.record(number, in: 1).secret)
        }
        #expect(try last.secret(2, in: 1) == nil)
    }

    #if DEBUG
    @Test("if it cannot be written, the commit is acknowledged all the same, and found by readers of the files")
    func unwritable() throws {
        var count = 0
        for after in 0..<8 {
            let group = try ScratchGroup()
            let store = try group.create()
            try store.write([Boxes.record(1, in: 1)])
            let other = try group.open()
            let word = other.revision.load()
            let failed = SyscallFaults.with([.init(.pwrite, .noSpace, after: after, times: 100)]) {
                code { try store.write([Boxes.record(2, in: 1)]) }
            }
            guard failed == nil, other.revision.load() == word else { continue }
            count += 1
            #expect(other.hasUnannouncedChanges())
            _ = try other.refresh(until: .standard)
            #expect(try other.secret(2, in: 1) != nil)
        }
        #expect(count == 1, "one of the writes is the page's")
    }
    #endif

    @Test("changes only where something changed: not with openings after a removal", arguments: [false, true])
    func unchanged(everything: Bool) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 1, secret: 40_000)])
        try store.commit(until: .standard) { _, batch throws(StorageError) in
            if everything {
                try batch.removeAll()
            } else {
                for number in [1, 2] as [UInt64] {
                    try batch.remove(
                        Removal(tag: Boxes.tag(number), partition: Boxes.partition(1), erasesSecret: true)
                    )
                }
            }
        }
        let word = store.revision.load()
        for _ in 0..<3 {
            let other = try group.open()
            try other.write()
            #expect(other.revision.load() == word)
        }
        // What comes next says that all is overwritten.
        try store.write([Boxes.record(3, in: 1)])
        #expect(store.revision.load() != word)
        #expect(try group.open().statistics.erasedThrough == 2)
    }
}

extension RevisionNote {
    var hash: (UInt64, UInt64) { (hashFirst, hashSecond) }
}

extension ScratchGroup {
    /// The note that the format document describes, made without the code under test.
    func note(
        _ length: UInt64,
        journal: [UInt8]? = nil,
        boot: BootID? = BootID.current,
        keys: GroupKeys? = nil
    ) throws -> RevisionNote {
        let header = try bytes()
        let boot = try #require(boot)
        var message = (journal ?? Array(header[32..<48])) + header[48..<52] + Array("STCNOTE\0".utf8)
        for number in [boot.first, boot.second, length] { message.append(littleEndian: number) }
        let hash = try KeyedHash.hash128(message.rawBytes, key: (keys ?? self.keys).subkey(.frameLead))
        return RevisionNote(number: length, hash: hash)
    }
}
