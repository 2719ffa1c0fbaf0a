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
    /// Who wrote a note that says that one transaction more was durable.
    enum Note: String, CaseIterable, Sendable {
        case genuine, earlierBoot, ofNewerJournal, otherKeys, otherNumber, forged
    }

    @Test(
        "a transaction counts as saved if a note says so that was written with the keys of the group, in any boot",
        arguments: Note.allCases
    )
    func note(_ kind: Note) throws {
        let group = try ScratchGroup()
        try group.create().write([Boxes.record(1, in: 1)])
        let good = try group.bytes()
        try group.overwrite(good + [1, 2, 3])
        let length = UInt64(good.count + 3)
        let boot = try #require(BootID.current).first
        let note =
            switch kind {
            case .genuine: try group.note(length, 2)
            case .earlierBoot: try group.note(length, 2, boot: boot ^ 1)
            case .ofNewerJournal: try group.note(length, 2, journal: [UInt8](repeating: 7, count: 16))
            case .otherKeys: try group.note(length, 2, keys: .generate())
            case .otherNumber: try group.note(length - 1, 2).with(0, length)
            case .forged: try group.note(length, 2).with(5, 0)
            }
        try group.directory(.readWrite).revision.announce(1, note: note)
        let expected: StorageError.Code? =
            switch kind {
            case .genuine, .earlierBoot: .damaged
            case .ofNewerJournal: .rollbackSuspected
            case .otherKeys, .otherNumber, .forged: nil
            }
        #expect(code { try group.open() } == expected)
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
        #expect(count == 2, "one of the writes is the mark's, and one the page's")
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
    /// The note with another number at this place.
    func with(_ index: Int, _ number: UInt64) -> RevisionNote {
        var note = self
        note.words[index] = number
        return note
    }
}

extension ScratchGroup {
    /// The note that the format document describes, made without the code under test.
    func note(
        _ length: UInt64,
        _ sequence: UInt64,
        journal: [UInt8]? = nil,
        boot: UInt64? = nil,
        keys: GroupKeys? = nil
    ) throws -> RevisionNote {
        let header = JournalBytes(try bytes())
        let journal = JournalBytes(journal ?? Array(header.bytes[32..<48]))
        let boot = try boot ?? #require(BootID.current).first
        var message = journal.bytes + header.bytes[48..<52] + Array("STCNOTE\0".utf8)
        for number in [length, sequence, boot] { message.append(littleEndian: number) }
        let hash = try KeyedHash.hash128(message.rawBytes, key: (keys ?? self.keys).subkey(.frameLead))
        return RevisionNote(words: [
            length, sequence, journal.uint64(at: 0), journal.uint64(at: 8), boot, hash.0, hash.1,
        ])
    }
}
