import Foundation
import GroupDirectory
import RecordStorage
import StoreConformance
import SystemPackage
import Testing

@Suite("Shared page")
struct RevisionPageTests {
    let scratch = Scratch()

    private func pagePath(_ group: GroupDirectory) -> String { group.path.appending("revision").string }

    @Test("it looks as documented")
    func layout() throws {
        let group = try scratch.group()
        let boot = try #require(BootID.current)
        group.revision.tell(0x778899)
        let before = group.revision.word.load()
        group.revision.setSyncedLength(SyncedLength(boot: boot, journal: (0x1122, 0x3344), length: 0x5566))
        let page = try Data(contentsOf: URL(fileURLWithPath: pagePath(group)))
        #expect(page.count == 4096)
        #expect(page[0..<8] == Data("STCPAGE1".utf8))
        #expect(page[8..<12] == Data([1, 0, 0, 0]))
        func word(_ offset: Int) -> UInt64 { page[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        #expect(word(64) == before)
        #expect(word(72) == 0x778899)
        #expect(page[256] == UInt8(before & 0xFF))
        let words = (0..<8).map { word(128 + $0 * 8) }
        #expect(words[..<7] == [1, boot.first, boot.second, 0x1122, 0x3344, 0x5566, 0])
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for word in words[..<7] {
            sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 29
        }
        #expect(words[7] == sum)
    }

    @Test("who reads what nobody was told of tells all, once")
    func untold() throws {
        let writer = try scratch.group()
        let reader = try scratch.group(.readWrite)
        writer.revision.tell(7)
        #expect(reader.revision.toldSequence == 7)
        let before = writer.revision.word.load()
        reader.revision.tellIfUntold(7)
        #expect(writer.revision.word.load() == before)
        reader.revision.tellIfUntold(8)
        reader.revision.tellIfUntold(8)
        #expect(writer.revision.word.load() == before &+ 1)
        #expect(writer.revision.toldSequence == 8)
        // Whoever cannot write the page leaves it to others.
        try scratch.group(.readOnly).revision.tellIfUntold(9)
        #expect(writer.revision.word.load() == before &+ 1)
    }

    @Test("all see the newest note on what is durable")
    func notes() throws {
        let group = try scratch.group()
        let reader = try scratch.group(.readOnly)
        #expect(reader.revision.syncedLength == nil)
        let boot = BootID(first: 1, second: 2)
        for length in 1...100 as ClosedRange<UInt64> {
            let note = SyncedLength(boot: boot, journal: (3, 4), length: length)
            group.revision.setSyncedLength(note)
            #expect(reader.revision.syncedLength == note)
        }
    }

    @Test("a note that was half written is not believed; the one before it is")
    func tornNote() throws {
        let group = try scratch.group()
        let notes = (1...2).map { SyncedLength(boot: BootID(first: 1, second: 2), journal: (3, 4), length: $0) }
        for note in notes { group.revision.setSyncedLength(note) }
        let file = try group.openFile("revision", .readingAndWriting)
        try Syscalls.write(file.descriptor, at: 192 + 40, [99])
        #expect(group.revision.syncedLength == notes[0])
        try Syscalls.write(file.descriptor, at: 128 + 40, [99])
        #expect(group.revision.syncedLength == nil)
        group.revision.setSyncedLength(notes[1])
        #expect(group.revision.syncedLength == notes[1])
    }

    @Test("readers of the note never see a mix of two")
    func noteRace() throws {
        let group = try scratch.group()
        let reader = try scratch.group(.readOnly)
        let end = SuspendingClock().now + .milliseconds(300)
        try inThreads(2) { thread in
            var number: UInt64 = 0
            while SuspendingClock().now < end {
                if thread == 0 {
                    number += 1
                    let boot = BootID(first: number, second: number)
                    group.revision.setSyncedLength(SyncedLength(boot: boot, journal: (number, number), length: number))
                } else if let note = reader.revision.syncedLength {
                    let words = [note.boot.first, note.boot.second, note.journalFirst, note.journalSecond, note.length]
                    #expect(Set(words).count == 1)
                    #expect(note.length >= number)
                    number = note.length
                }
            }
        }
    }

    @Test("every bump changes the word, from many threads and handles")
    func bumps() throws {
        let groups = try (0..<4).map { _ in try scratch.group() }
        let start = groups[0].revision.word.load()
        try inThreads(4) { thread in
            for _ in 0..<500 { groups[thread].revision.bump() }
        }
        for group in groups { #expect(group.revision.word.load() == start &+ 2000) }
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

    @Test("a page that is removed is made anew by the next bump, and others find it")
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
        writer.revision.bump()
        #expect(word.load() == value &+ 1)
    }

    @Test("a page that is replaced is mapped anew, with readers reading all the while")
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
        "a spoiled page is made anew",
        arguments: [
            [], [UInt8]("STC".utf8), [UInt8](repeating: 0, count: 4096), [UInt8](repeating: 0xA5, count: 10_000),
            [UInt8]("STCPAGE1".utf8) + [1, 0, 0, 0],
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
        var content = [UInt8]("STCPAGE1".utf8) + [2, 0, 0, 0]
        content += [UInt8](repeating: 7, count: 4096 - content.count)
        try Data(content).write(to: URL(fileURLWithPath: path))
        let group = try scratch.group()
        #expect(!group.revision.isShared)
        let before = group.revision.word.load()
        #expect(group.revision.bump() != before)
        #expect(group.revision.syncedLength == nil)
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

    @Test("twenty who make it at once share one page")
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
    #endif

    @Test("the boot id is that of this machine")
    func bootID() throws {
        let text = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let digits = text.filter(\.isHexDigit)
        let boot = try #require(BootID.current)
        #expect(String(format: "%016lx%016lx", boot.first, boot.second) == digits)
    }
}
