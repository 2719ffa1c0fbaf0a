// SPDX-License-Identifier: Apache-2.0

import FileStorage
import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

#if DEBUG
@Suite("Order of writes and syncs")
struct SyncRuleTests {
    @Test("a writer that cannot know whether earlier bytes are durable syncs before it appends")
    func unknownPast() throws {
        let group = try ScratchGroup()
        try group.create().write([Boxes.record(1, in: 1)])
        try group.forgetPage()
        let store = try group.open()
        let before = try group.bytes()
        // The first sync is for what others wrote, and nothing was appended before it.
        SyscallFaults.with([.init(.fdatasync, .ioError)]) {
            #expect(code { try store.write([Boxes.record(2, in: 1)]) } == .indeterminate)
        }
        #expect(try group.bytes() == before)
        let other = try group.open()
        SyscallFaults.with([.init(.fdatasync, .ioError, after: 1)]) {
            #expect(code { try other.write([Boxes.record(2, in: 1)]) } == .indeterminate)
        }
        #expect(try group.bytes() == before)
    }

    @Test("a truncated torn tail is durably removed before something is appended in its place")
    func cut() throws {
        let group = try ScratchGroup()
        try group.create().write([Boxes.record(1, in: 1)])
        let good = try group.bytes()
        try group.overwrite(good + Boxes.box(5, count: 3001))
        let store = try group.open()
        // The first sync is for the cut, the second for the frame.
        SyscallFaults.with([.init(.fdatasync, .ioError, after: 1)]) {
            #expect(code { try store.write([Boxes.record(2, in: 1)]) } == .indeterminate)
        }
        #expect(try group.bytes() == good)
    }

    @Test("a writer that finds no note on the journal makes its name durable before it appends")
    func unknownName() throws {
        let group = try ScratchGroup()
        try group.create().write([Boxes.record(1, in: 1)])
        try group.forgetPage()
        let store = try group.open()
        let before = try group.bytes()
        SyscallFaults.with([.init(.fsync, .ioError)]) {
            #expect(code { try store.write([Boxes.record(2, in: 1)]) } == .indeterminate)
        }
        #expect(try group.bytes() == before)
    }

    @Test("the shared page informs the next writer how much is durable")
    func note() throws {
        let group = try ScratchGroup()
        let directory = try group.directory()
        let store = try group.create()
        for number in 0..<3 as Range<UInt64> {
            try store.write([Boxes.record(number, in: 1)])
            let length = UInt64(try group.bytes().count)
            #expect(try directory.revision.note == group.note(length, number + 1))
        }
        try store.compact(until: .standard)
        #expect(try directory.revision.note == group.note(UInt64(group.bytes().count), 3))
    }

    @Test("a compaction announces the transaction that it ends with, once")
    func compaction() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        for number in 0..<5 as Range<UInt64> { try store.write([Boxes.record(number, in: 1)]) }
        let sequence = try store.newestSequence(until: .standard)
        try store.compact(until: .standard)
        let page = try group.directory().revision
        #expect(page.announcedSequence == sequence)
        let word = page.word.load()
        _ = try group.open().refresh(until: .standard)
        #expect(page.word.load() == word)
    }

    @Test("each commit changes the word that all handles share", arguments: [false, true])
    func word(isLarge: Bool) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        let reader = try group.open()
        let before = reader.revision.load()
        try store.write((0..<(isLarge ? 9000 : 1)).map { Boxes.record($0, in: $0) })
        #expect(reader.revision.load() != before)
        #expect(store.revision.load() == reader.revision.load())
    }

    @Test("a removal that erases clears away the files of killed writers")
    func staleTemporaries() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        let leftover = group.path.appending("tmp.0123456789abcdef0123456789abcdef")
        let file = try FileDescriptor.open(leftover, .writeOnly, options: [.create], permissions: [.ownerReadWrite])
        try file.close()
        try store.write([Boxes.record(2, in: 1)])
        #expect(try group.files().contains(leftover.lastComponent?.string ?? ""))
        try store.write(removing: [Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)])
        #expect(try !group.files().contains(leftover.lastComponent?.string ?? ""))
    }
}
#endif
