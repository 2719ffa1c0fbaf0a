import FileStorage
import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching

@Suite("Facts that were opened last")
struct RecentFactsTests {
    let fixture = GroupFixture()
    let group: OpenedGroup
    let recent = RecentFacts()

    init() throws {
        group = try fixture.create(.file(unlockedBy: .keyFile))
    }

    /// The entries of a partition as a change reads them, and whether any of them was opened for that.
    private func entries(of partition: PartitionTag) throws -> (PartitionEntries, PartitionContents) {
        var found: (PartitionEntries, PartitionContents)?
        try group.store.commit(until: .standard) { (context, batch) throws(StorageError) in
            let transaction = Transaction(
                context,
                batch,
                store: group.store,
                codec: group.codec,
                recentFacts: recent
            )
            found = (try transaction.entries(of: partition), try group.store.contents(of: partition))
        }
        return try #require(found)
    }

    private func partition(_ account: String) throws -> PartitionTag {
        try group.codec.address(of: try TestEntry.accessToken(account: account).parsed().facts).partition
    }

    @Test("are not opened again by a change, and say the same")
    func afterLookup() throws {
        try group.put([.account(), .accessToken(), .refreshToken()])
        let partition = try group.codec.address(of: try TestEntry.accessToken().parsed().facts).partition
        _ = try group.loader(recentFacts: recent).load(partition, from: group.store, until: .standard, knowing: nil)
        let (found, contents) = try entries(of: partition)
        #expect(!found.hasOpened)
        let fresh = try PartitionEntries(contents, codec: group.codec)
        #expect(fresh.hasOpened)
        #expect(found.entries.map(\.record) == fresh.entries.map(\.record))
        #expect(try found.entries.map { try $0.facts() } == fresh.entries.map { try $0.facts() })
        #expect(found.entries.map(\.fields) == fresh.entries.map(\.fields))
    }

    @Test("stand for the very version that was opened")
    func newVersion() throws {
        let partition = try partition("a.b")
        try group.put([.account(account: "a.b"), .accessToken(account: "a.b").under("key")])
        _ = try entries(of: partition)
        let kept = try #require(recent.partition(partition))
        try group.put([.accessToken(account: "a.b", expiresOn: TestEntry.start + 9000).under("key")])
        let (found, contents) = try entries(of: partition)
        #expect(found.hasOpened)
        #expect(contents.records.map { kept.facts(of: $0) == nil }.count { $0 } == 1)
        #expect(found.entries.count == 2)
        let token = try #require(found.entries.first { $0.fields.kind == .accessToken })
        #expect(token.fields.expiresOn == TestEntry.start + 9000)
        #expect(try !entries(of: partition).0.hasOpened)
    }

    @Test("end with the file that they were read from")
    func otherFile() throws {
        let partition = try partition("a.b")
        try group.put([.account(account: "a.b"), .accessToken(account: "a.b")])
        _ = try entries(of: partition)
        try group.fileStore?.compact(until: .standard)
        _ = try group.store.refresh(until: .standard)
        #expect(try entries(of: partition).0.hasOpened)
        #expect(try !entries(of: partition).0.hasOpened)
        recent.forget()
        #expect(recent.partition(partition) == nil)
    }

    @Test("are not kept of what was read before everything was forgotten")
    func lateComer() throws {
        let partition = try partition("a.b")
        try group.put([.account(account: "a.b")])
        let (found, contents) = try entries(of: partition)
        let generation = recent.generation
        recent.forget()
        recent.keep(found.opened, of: partition, in: contents, readIn: generation)
        #expect(recent.partition(partition) == nil)
        recent.keep(found.opened, of: partition, in: contents, readIn: recent.generation)
        #expect(recent.partition(partition) != nil)
    }

    @Test("are not kept of a partition that has become large", arguments: [64, 65])
    func large(count: Int) throws {
        let partition = try partition("a.b")
        try group.put([.account(account: "a.b")])
        _ = try entries(of: partition)
        #expect(recent.partition(partition) != nil)
        try group.put((1..<count).map { .accessToken(account: "a.b").under("key \($0)") })
        _ = try entries(of: partition)
        #expect((recent.partition(partition) != nil) == (count == 64))
    }

    @Test("are not kept of a partition whose facts have become long")
    func long() throws {
        let partition = try partition("a.b")
        try group.put([.account(account: "a.b")])
        _ = try entries(of: partition)
        #expect(recent.partition(partition) != nil)
        try group.put([.accessToken(account: "a.b").under(String(repeating: "k", count: 66_000))])
        _ = try entries(of: partition)
        #expect(recent.partition(partition) == nil)
    }

    @Test("are few: those that were used last")
    func bound() throws {
        let accounts = (0..<20).map { "uid\($0).utid" }
        try group.put(accounts.map { .account(account: $0) })
        for account in accounts {
            _ = try entries(of: try partition(account))
            _ = recent.partition(try partition("uid0.utid"))
        }
        let kept = try accounts.filter { recent.partition(try partition($0)) != nil }
        #expect(kept == ["uid0.utid"] + accounts.suffix(15))
    }
}
