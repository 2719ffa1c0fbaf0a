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

    @Test("are forgotten when a change is seen that nobody told of")
    func untold() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        // Its own page: what others change never reaches its word.
        try group.forgetPage()
        let contents = try store.contents(of: Boxes.partition(1))
        let gone = try #require(contents.records.first)
        try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in }
        let word = store.revision.load()
        try group.open().write(removing: [
            Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)
        ])
        #expect(store.revision.load() == word)
        _ = try store.refresh(until: .standard)
        #expect(code { try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in } } == .tokenGone)
    }
}
#endif
