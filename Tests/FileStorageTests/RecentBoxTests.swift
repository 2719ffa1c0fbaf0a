import FileStorage
import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

#if DEBUG
@Suite("Boxes that were read before")
struct RecentBoxTests {
    @Test("are not read again until anything changes")
    func readOnce() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        let expected = Boxes.record(1, in: 1).secret
        try store.write([Boxes.record(1, in: 1)])
        let contents = try store.contents(of: Boxes.partition(1))
        let place = try #require(contents.records.first).secret
        func secret() throws(StorageError) -> [UInt8] {
            try contents.reader.withBox(at: place) { box in unsafe box.withUnsafeBytes { unsafe Array($0) } }
        }
        #expect(try secret() == expected)
        SyscallFaults.with([.init(.pread, .ioError)]) {
            #expect(throws: Never.self) { try #expect(secret() == expected) }
        }
        // Another handle's transaction, of another record.
        try group.open().write([Boxes.record(2, in: 2)])
        SyscallFaults.with([.init(.pread, .ioError)]) {
            #expect(code { _ = try secret() } == .damaged)
        }
        #expect(try secret() == expected)
    }

    @Test("are gone at once for whoever has read them, when their record is removed", arguments: [true, false])
    func removed(bySelf: Bool) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 1)])
        let contents = try store.contents(of: Boxes.partition(1))
        let gone = try #require(contents.records.first { $0.tag == Boxes.tag(1) })
        try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in }
        let remover = bySelf ? store : try group.open()
        try remover.write(removing: [Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)])
        #expect(code { try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in } } == .tokenGone)
    }

    @Test("are gone after they were overwritten, however late that was")
    func overwrittenLater() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        let reader = try group.open()
        let contents = try reader.contents(of: Boxes.partition(1))
        let gone = try #require(contents.records.first)
        // The frame is written, the zeros are not.
        SyscallFaults.with([.init(.pwrite, .ioError, after: 2, times: 100)]) {
            let removal = Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)
            #expect(throws: Never.self) { try store.write(removing: [removal]) }
        }
        try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in }
        // Opening overwrites what is left.
        _ = try group.open()
        #expect(code { try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in } } == .tokenGone)
    }

    @Test("are read each time where the page is not shared")
    func privatePage() throws {
        let group = try ScratchGroup()
        try group.create().write([Boxes.record(1, in: 1)])
        try group.forgetPage()
        // Who may only read makes no page.
        let store = try group.open(.readOnly)
        let contents = try store.contents(of: Boxes.partition(1))
        let gone = try #require(contents.records.first)
        try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in }
        SyscallFaults.with([.init(.pread, .ioError)]) {
            #expect(code { try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in } } == .damaged)
        }
    }
}
#endif
