import FileStorage
import Foundation
import RecordStorage
import Sealing
import Testing
import UnifiedSchema

@testable import TokenCaching

@Suite("A save that is prepared while another process has the writer's lock")
struct PreparedChangeTests {
    let group: TestGroup
    let store: WatchedStore
    let cache: TokenCache
    let other: TokenCache

    init() throws {
        group = try TestGroup()
        store = WatchedStore(MemoryStore(group.backing))
        cache = try group.cache(store: store)
        other = try group.cache()
        try TestResponse.signIn(accessToken: "old", refreshToken: "old rt").save(in: cache)
    }

    /// Saves with `meanwhile` between the preparation and the lock.
    ///
    /// - Returns: how often the save read from the store: 2 where what was prepared was written.
    private func save(
        _ response: TestResponse,
        expectedOthers: UInt64 = 1,
        meanwhile: @escaping @Sendable () throws -> Void
    ) throws -> Int {
        let newest = try MemoryStore(group.backing).commit(until: .standard) { _, _ in }
        let preparation = WatchedStore.Preparation(sequence: newest + 1 + expectedOthers) {
            do { try meanwhile() } catch { Issue.record(error) }
        }
        store.order { orders in
            orders.preparation = preparation
            orders.contentsCount = 0
        }
        try response.save(in: cache)
        return store.order { $0.contentsCount }
    }

    /// The account's access tokens, in any order.
    private func accessTokens() throws -> Set<String?> {
        Set(try group.entries().filter { $0.facts.kind == .accessToken }.map(\.token))
    }

    @Test("is written as it was prepared where the other one changed another account")
    func holds() throws {
        let other = other
        let reads = try save(.signIn(accessToken: "new", refreshToken: "new rt")) {
            try TestResponse.signIn(accessToken: "hers", clientInfo: ["uid": "her", "utid": "utid"]).save(in: other)
        }
        #expect(reads == 2)
        #expect(try accessTokens() == ["new", "hers"])
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid new")
        #expect(try other.token(for: MatchingCase.query("user.read")).summary() == "valid new")
    }

    @Test("is made anew where the other one changed the account, and replaces what that wrote")
    func sameAccount() throws {
        let other = other
        let reads = try save(.signIn(accessToken: "new", refreshToken: "new rt")) {
            let scope = "Mail.Read User.Read"
            try TestResponse.signIn(accessToken: "theirs", refreshToken: "theirs", scope: scope).save(in: other)
        }
        #expect(reads == 4)
        #expect(try accessTokens() == ["new"])
        let refreshTokens = try group.entries().filter { $0.facts.kind == .refreshToken }.map(\.token)
        #expect(refreshTokens == ["new rt"])
    }

    @Test("is made anew where its number is another one", arguments: [0, 2] as [UInt64])
    func otherSequence(expectedOthers: UInt64) throws {
        let other = other
        let reads = try save(.signIn(accessToken: "new"), expectedOthers: expectedOthers) {
            try TestResponse.signIn(accessToken: "hers", clientInfo: ["uid": "her", "utid": "utid"]).save(in: other)
        }
        #expect(reads == 4)
        #expect(try accessTokens() == ["new", "hers"])
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid new")
    }

    @Test("a renewal is refused where the account was signed out meanwhile")
    func signedOut() throws {
        let other = other
        let account = try #require(try other.accounts().first)
        let error = #expect(throws: TokenCacheError.self) {
            _ = try save(TestResponse.signIn(accessToken: "new").renewal) { try other.signOut(account) }
        }
        #expect(error?.code == .signedOut)
        #expect(try accessTokens().isEmpty)
    }

    @Test("is not refused for what was so only while it was prepared")
    func refusedTooEarly() throws {
        let other = other
        try other.signOut(try #require(try other.accounts().first))
        let reads = try save(TestResponse.signIn(accessToken: "new").renewal) {
            try TestResponse.signIn(accessToken: "theirs").save(in: other)
        }
        #expect(reads > 2)
        #expect(try accessTokens() == ["new"])
    }

    @Test("is written as it was prepared while a real process takes its time over another account")
    func realProcess() async throws {
        let fixture = GroupFixture()
        let opened = try fixture.create(.file(unlockedBy: .keyFile))
        let store = WatchedStore(opened.store)
        let cache = try TokenCache(store: store, keyring: opened.keyring, clientID: TestGroup.client)
        try TestResponse.signIn(accessToken: "old").save(in: cache)
        let (root, go) = (fixture.scratch.path, fixture.scratch.path("go"))
        let process = Task {
            await #expect(processExitsWith: .success) { [root = root as String] in
                let place = try GroupPlace("group", root: root, environment: [:])
                let group = try GroupOpener(place, storage: .automatic, access: .readWrite, timeout: .seconds(20))
                    .open()
                try group.put(1) {
                    _ = FileManager.default.createFile(atPath: root + "/has-lock", contents: nil)
                    for _ in 0..<20_000 where !FileManager.default.fileExists(atPath: root + "/go") { usleep(1_000) }
                }
            }
        }
        for _ in 0..<20_000 where !FileManager.default.fileExists(atPath: root + "/has-lock") {
            try await Task.sleep(for: .milliseconds(1))
        }
        store.order { orders in
            orders.afterPreparation = { _ = FileManager.default.createFile(atPath: go, contents: nil) }
            orders.contentsCount = 0
        }
        try TestResponse.signIn(accessToken: "new", refreshToken: "new rt").save(in: cache)
        _ = await process.value
        #expect(store.order { $0.contentsCount } == 2)
        let other = try TokenCache(store: try fixture.open().store, keyring: opened.keyring, clientID: TestGroup.client)
        #expect(try other.token(for: MatchingCase.query("user.read")).summary() == "valid new")
        #expect(try opened.fileStore?.verify().findings.isEmpty == true)
    }

    @Test(
        "holds only in the transaction that it was told of, with what it read unchanged",
        arguments: [
            (CommitContext(sequence: 9, epoch: 1, changes: .none, baseState: 3), true),
            (CommitContext(sequence: 9, epoch: 1, changes: .partitions([there]), baseState: 3), true),
            (CommitContext(sequence: 9, epoch: 1, changes: .partitions([here, there]), baseState: 3), false),
            (CommitContext(sequence: 9, epoch: 1, changes: .everything, baseState: 3), false),
            (CommitContext(sequence: 8, epoch: 1, changes: .none, baseState: 3), false),
            (CommitContext(sequence: 9, epoch: 2, changes: .none, baseState: 3), false),
            (CommitContext(sequence: 9, epoch: 1, changes: .none, baseState: 4), false),
            (CommitContext(sequence: 9, epoch: 1, changes: .none), false),
        ]
    )
    func conditions(context: CommitContext, holds: Bool) throws {
        let outlook = CommitOutlook(sequence: 9, epoch: 1, state: 3)
        let codec = group.codec
        let change = PreparedChange(outlook, store: store, codec: codec, recentFacts: nil) {
            (transaction) throws(TokenCacheError) in
            try storing { () throws(StorageError) in try transaction.entries(of: Self.here).entries.count }
        }
        #expect(try #require(change).holds(in: context) == holds)
    }

    private static let here = PartitionTag(first: 1, second: 1)
    private static let there = PartitionTag(first: 2, second: 2)
}
