// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import StoreConformance
import Synchronization
import SystemPackage
import Testing

@Suite("Shared page")
struct RevisionPageTests {
    let scratch = Scratch()

    private func pagePath(_ group: GroupDirectory) -> String { group.path.appending("revision").string }

    @Test("it looks as documented")
    func layout() throws {
        let group = try scratch.group()
        let value = group.revision.announce(0x77_8899, note: RevisionNote(words: [0x5566, 2, 3, 4, 5, 6, 7]))
        #expect(group.revision.word.load() == value)
        let page = try Data(contentsOf: URL(fileURLWithPath: pagePath(group)))
        #expect(page.count == 4096)
        #expect(page[0..<16] == Data("STCPAGE1".utf8) + [2, 0, 0, 0, 0, 0, 0, 0])
        let words = stride(from: 16, to: 4096, by: 8).map { offset in
            page[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        #expect(words[..<6].allSatisfy { $0 == 0 })
        #expect(words[6..<15] == [value, 0x77_8899, 0x5566, 2, 3, 4, 5, 6, 7])
        #expect(words[15...].allSatisfy { $0 == 0 })
    }

    @Test("the mapping is read-only, so that no full disk can end a program", arguments: [false, true])
    func mappedForReading(isReplaced: Bool) throws {
        let group = try scratch.group()
        if isReplaced {
            try group.removeFile("revision")
            group.revision.bump()
        }
        let bytes = try #require(Syscalls.smallSystemFile("/proc/self/maps", limit: 1 << 20))
        let maps = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let rights = maps.filter { $0.hasSuffix(pagePath(group)) }.map { $0.split(separator: " ")[1] }
        #expect(rights == ["r--s"])
    }

    @Test("no content of it ends the program", arguments: [0, 1, .max, .max - 1, 1 << 63] as [UInt64])
    func extremes(value: UInt64) throws {
        let group = try scratch.group()
        let file = try group.openFile("revision", .readingAndWriting)
        for offset in stride(from: 64, to: 4096, by: 8) {
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            try Syscalls.write(file.descriptor, at: UInt64(offset), bytes)
        }
        #expect(group.revision.word.load() == value)
        let words = [
            group.revision.bump(), group.revision.announce(.max), group.revision.announce(0),
            group.revision.announce(1),
            group.revision.bump(),
        ]
        #expect(Set(words + [value]).count == 6)
        #expect(group.revision.word.load() == words.last)
        #expect(group.revision.announcedSequence == 1)
    }

    #if DEBUG
    @Test("a page that cannot be written stays as it is, and is written by the next process that can")
    func full() throws {
        let group = try scratch.group()
        let before = group.revision.announce(1)
        SyscallFaults.with([.init(.pwrite, .noSpace, times: 2)]) {
            #expect(group.revision.announce(2) == before)
            group.revision.announceIfNewer(2)
        }
        #expect(group.revision.word.load() == before)
        #expect(group.revision.announcedSequence == 1)
        group.revision.announceIfNewer(2)
        #expect(group.revision.word.load() != before)
        #expect(group.revision.announcedSequence == 2)
    }
    #endif

    @Test("a reader of an unannounced transaction announces it, once")
    func untold() throws {
        let writer = try scratch.group()
        let reader = try scratch.group(.readWrite)
        writer.revision.announce(7)
        #expect(reader.revision.announcedSequence == 7)
        let before = writer.revision.word.load()
        reader.revision.announceIfNewer(7)
        #expect(writer.revision.word.load() == before)
        reader.revision.announceIfNewer(8)
        let told = writer.revision.word.load()
        #expect(told != before)
        #expect(writer.revision.announcedSequence == 8)
        reader.revision.announceIfNewer(8)
        // Whoever cannot write the page leaves it to others.
        try scratch.group(.readOnly).revision.announceIfNewer(9)
        #expect(writer.revision.word.load() == told)
    }

    @Test("all see the newest note, and an announcement without one keeps it")
    func notes() throws {
        let group = try scratch.group()
        let reader = try scratch.group(.readOnly)
        #expect(reader.revision.note == RevisionNote(words: InlineArray(repeating: 0)))
        for number in 1...100 as ClosedRange<UInt64> {
            let note = RevisionNote(words: InlineArray { number + UInt64($0) })
            group.revision.announce(number, note: note)
            #expect(reader.revision.note == note)
            group.revision.announce(number)
            group.revision.bump()
            #expect(reader.revision.note == note)
        }
    }

    @Test("no word of the note that a reader sees is older than one it saw before, and the last note is whole")
    func noteRace() throws {
        let group = try scratch.group()
        let reader = try scratch.group(.readOnly)
        let end = SuspendingClock().now + .milliseconds(300)
        try inThreads(2) { thread in
            var number: UInt64 = 0
            var seen = reader.revision.note.words
            while SuspendingClock().now < end {
                if thread == 0 {
                    number += 1
                    group.revision.announce(number, note: RevisionNote(words: InlineArray(repeating: number)))
                } else {
                    // A writer that is stopped between two words shows a mix for as long.
                    let words = reader.revision.note.words
                    #expect(words.indices.allSatisfy { words[$0] >= seen[$0] })
                    seen = words
                }
            }
        }
        let last = reader.revision.announcedSequence
        #expect(last > 0 && reader.revision.note == RevisionNote(words: InlineArray(repeating: last)))
    }

    @Test("every bump leaves a word that was never there, from many threads and handles")
    func bumps() throws {
        let groups = try (0..<4).map { _ in try scratch.group() }
        let words = Mutex<Set<UInt64>>([groups[0].revision.word.load()])
        try inThreads(4) { thread in
            for _ in 0..<500 {
                let word = groups[thread].revision.bump()
                words.withLock { _ = $0.insert(word) }
            }
        }
        #expect(words.withLock { $0.count } == 2001)
        let last = groups[0].revision.word.load()
        #expect(words.withLock { $0.contains(last) })
        for group in groups { #expect(group.revision.word.load() == last) }
    }

    @Test("watchers of the file wake up")
    func watchers() throws {
        let group = try scratch.group()
        let queue = inotify_init1(Int32(O_NONBLOCK))
        defer { close(queue) }
        let watch = unsafe inotify_add_watch(queue, pagePath(group), UInt32(IN_MODIFY))
        try #require(watch >= 0)
        var buffer = [UInt8](repeating: 0, count: 256)
        let before = unsafe read(queue, &buffer, 256)
        #expect(before == -1)
        group.revision.bump()
        let after = unsafe read(queue, &buffer, 256)
        #expect(after > 0)
    }

    @Test("a page that is removed is created again by the next announcement, and others find it")
    func removed() throws {
        let writer = try scratch.group()
        let reader = try scratch.group(.readWrite)
        let word = reader.revision.word
        let old = word.load()
        try writer.removeFile("revision")
        let value = writer.revision.bump()
        #expect(word.load() == old)
        #expect(reader.revision.remapIfReplaced())
        #expect(word.load() == value, "the word keeps its address")
        #expect(value != old)
        #expect(!reader.revision.remapIfReplaced())
        let next = writer.revision.bump()
        #expect(word.load() == next)
    }

    @Test("a page that is replaced is mapped again while readers continue")
    func replaced() throws {
        let group = try scratch.group()
        let word = group.revision.word
        let end = SuspendingClock().now + .milliseconds(300)
        try inThreads(3) { thread in
            while SuspendingClock().now < end {
                switch thread {
                case 0:
                    try group.removeFile("revision")
                    group.revision.bump()
                case 1: _ = word.load()
                default: _ = group.revision.remapIfReplaced()
                }
            }
        }
        #expect(group.revision.isShared)
    }

    @Test(
        "an invalid page is created again",
        arguments: [
            [], [UInt8]("STC".utf8), [UInt8](repeating: 0, count: 4096), [UInt8](repeating: 0xA5, count: 10_000),
            [UInt8]("STCPAGE1".utf8) + [2, 0, 0, 0],
            // A whole one of the version before this one.
            [UInt8]("STCPAGE1".utf8) + [1, 0, 0, 0] + [UInt8](repeating: 7, count: 4084),
        ]
    )
    func spoiled(content: [UInt8]) throws {
        let path = pagePath(try scratch.group())
        #expect(
            FileManager.default.createFile(
                atPath: path,
                contents: Data(content),
                attributes: [.posixPermissions: 0o600]
            )
        )
        let reader = try scratch.group(.readOnly)
        #expect(!reader.revision.isShared)
        let group = try scratch.group(.readWrite)
        #expect(group.revision.isShared)
        let other = try scratch.group(.readWrite)
        #expect(other.revision.word.load() == group.revision.word.load())
        #expect(reader.revision.remapIfReplaced())
        let value = group.revision.bump()
        #expect(other.revision.word.load() == value)
        #expect(reader.revision.word.load() == value)
    }

    @Test("a page of a newer version is left alone, and the group works without")
    func newer() throws {
        let path = pagePath(try scratch.group())
        var content = [UInt8]("STCPAGE1".utf8) + [3, 0, 0, 0]
        content += [UInt8](repeating: 7, count: 4096 - content.count)
        try Data(content).write(to: URL(fileURLWithPath: path))
        let group = try scratch.group()
        #expect(!group.revision.isShared)
        let before = group.revision.word.load()
        #expect(group.revision.bump() != before)
        #expect(group.revision.note == RevisionNote(words: InlineArray(repeating: 0)))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(content))
    }

    @Test("a page that is being cut short is replaced at the next look")
    func truncated() throws {
        let group = try scratch.group()
        try FileHandle(forWritingTo: URL(fileURLWithPath: pagePath(group))).truncate(atOffset: 100)
        #expect(group.revision.remapIfReplaced())
        #expect(group.revision.isShared)
        _ = group.revision.word.load()
        let size = try group.identity(of: "revision")?.size
        #expect(size == 4096)
    }

    @Test("twenty processes that create it at once share one page")
    func creationRace() throws {
        for round in 0..<20 {
            let name = "race\(round)"
            try inThreads(8) { _ in
                let group = try scratch.group(.create, name: name)
                precondition(group.revision.isShared)
            }
            let group = try scratch.group(.readWrite, name: name)
            let names = try FileManager.default.contentsOfDirectory(atPath: group.path.string)
            #expect(Set(names) == ["lock", "leases", "revision"])
        }
    }

    #if DEBUG
    @Test("without memory to share the page is private and still counts")
    func cannotMap() throws {
        _ = try scratch.group()
        let group = try SyscallFaults.with([SyscallFaults.Fault(.mmap, Errno(rawValue: ENODEV))]) {
            () throws(StorageError) in
            try scratch.group(.readWrite)
        }
        #expect(!group.revision.isShared)
        let before = group.revision.word.load()
        // The next bump tries again.
        let value = group.revision.bump()
        #expect(group.revision.isShared)
        #expect(value != before)
    }

    @Test("where nothing can be mapped in its place the old page stays, and can be read", arguments: 0..<4)
    func cannotMapAnew(after: Int) throws {
        let group = try scratch.group()
        let word = group.revision.word
        let before = word.load()
        try group.removeFile("revision")
        SyscallFaults.with([.init(.mmap, .noMemory, after: after, times: 100)]) {
            // Two calls map the new file or else memory of this process alone.
            #expect(group.revision.remapIfReplaced() == (after >= 2))
            if after < 2 { #expect(word.load() == before) }
        }
        _ = group.revision.remapIfReplaced()
        #expect(group.revision.isShared)
        #expect(word.load() != before)
    }
    #endif

    @Test("the boot id is that of this machine")
    func bootID() throws {
        let text = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let digits = text.filter(\.isHexDigit)
        let boot = try #require(BootID.current)
        #expect(String(format: "%016lx%016lx", boot.first, boot.second) == digits)
    }
}
