// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A cache learns which hosts are one cloud")
struct CloudLearningTests {
    private let metadata: CloudMetadata
    /// Adds hosts to the public cloud, and would be its preferred one.
    private let greedy: CloudMetadata

    init() throws {
        metadata = try Self.metadata(
            CloudMetadataTests.entry("login.new.example", "cache.new.example", ["sts.new.example"])
        )
        greedy = try Self.metadata(
            CloudMetadataTests.entry("evil.example", "evil.example", ["login.microsoftonline.com", "login.local"])
        )
    }

    private static func metadata(_ entries: String...) throws -> CloudMetadata {
        try CloudMetadata(discoveryJSON: Array((#"{"metadata":["# + entries.joined(separator: ",") + "]}").utf8))
    }

    @Test("a query that was answered before sees it at its next use")
    func preparedQuery() throws {
        let group = try TestGroup()
        try group.put(.accessToken(environment: "sts.new.example"))
        let cache = try group.cache()
        let query = MatchingCase.query("user.read", environment: "login.new.example")
        #expect(try cache.token(for: query).summary() == "interaction refreshTokenMissing")
        try cache.learn(metadata)
        #expect(try cache.token(for: query).summary() == "valid at")
        guard case .valid(let before) = try cache.token(for: query) else { throw Unexpected() }
        try cache.learn(metadata)
        guard case .valid(let after) = try cache.token(for: query) else { throw Unexpected() }
        #expect(before.answer === after.answer, "what is no news makes nothing be worked out anew")
    }

    @Test("options inform a cache from the start")
    func options() throws {
        let group = try TestGroup()
        try group.put(.refreshToken(environment: "sts.new.example"))
        let cache = try TokenCache(
            store: MemoryStore(group.backing),
            unlockedKeys: group.unlockedKeys,
            clientID: TestGroup.client,
            options: TokenCacheOptions(clock: group.clock.wallClock, clouds: metadata)
        )
        let query = MatchingCase.query("a", tenant: "anything", environment: "cache.new.example")
        guard case .renew(let token, nil) = try cache.token(for: query) else { throw Unexpected() }
        #expect(token.networkHost == "login.new.example")
        #expect(token.environment == "sts.new.example")
    }

    @Test("lists and saves use it too")
    func accountsAndSaves() throws {
        let group = try TestGroup()
        try group.put(.refreshToken(client: "b", environment: "sts.new.example", family: "1"))
        try group.put(
            .account(environment: "sts.new.example"),
            .appMetadata(environment: "login.new.example", family: "")
        )
        let cache = try group.cache()
        #expect(try cache.accounts().count == 1)
        try cache.learn(metadata)
        #expect(try cache.accounts().isEmpty, "the client is known to be in no family of that cloud")
        try TestResponse.signIn().asked { $0.environment = "login.new.example" }.save(in: cache)
        let token = try #require(try group.entries().first { $0.fields.kind == .accessToken })
        #expect(token.fields.environment == "cache.new.example")
    }

    @Test("no answer makes their refresh tokens be sent elsewhere")
    func hostile() throws {
        let group = try TestGroup()
        try group.put(.refreshToken("public"), .refreshToken("government", environment: "login.microsoftonline.us"))
        let cache = try group.cache()
        try cache.learn(greedy)
        for (host, secret) in [
            ("login.microsoftonline.com", "public"), ("login.microsoftonline.us", "government"),
            ("login.local", "public"), ("evil.example", "public"),
        ] {
            let query = MatchingCase.query("a", environment: host)
            guard case .renew(let token, nil) = try cache.token(for: query) else { throw Unexpected() }
            #expect(try token.secretString == secret)
            #expect(try token.next() == nil)
            #expect(
                token.networkHost == (secret == "public" ? "login.microsoftonline.com" : "login.microsoftonline.us")
            )
        }
    }

    @Test("metadata that would merge two clouds is refused completely, whether they are built in or were learned")
    func joining() throws {
        let group = try TestGroup()
        let cache = try group.cache()
        try cache.learn(metadata)
        for hosts in [
            ["login.microsoftonline.com", "login.microsoftonline.us"], ["sts.new.example", "sts.windows.net"],
        ] {
            let joining = try Self.metadata(
                CloudMetadataTests.entry("fine.example", "fine.example", ["fine.example"]),
                CloudMetadataTests.entry("evil.example", "evil.example", hosts)
            )
            // There is nothing in it but what is known, and that two clouds are one.
            let onlyJoining = try Self.metadata(CloudMetadataTests.entry(hosts[0], hosts[0], [hosts[1]]))
            let version = cache.engine.clouds.version
            let error = #expect(throws: TokenCacheError.self) { try cache.learn(joining) }
            #expect(error?.code == .malformedDocument)
            #expect(cache.engine.clouds.version == version)
            for clouds in [joining, onlyJoining] {
                let opening = #expect(throws: TokenCacheError.self) {
                    try TokenCache(
                        store: MemoryStore(group.backing),
                        unlockedKeys: group.unlockedKeys,
                        clientID: TestGroup.client,
                        options: TokenCacheOptions(clock: group.clock.wallClock, clouds: clouds)
                    )
                }
                // Of clouds that were learnt, a new cache knows only by way of the group.
                #expect(opening?.code == .malformedDocument)
            }
        }
        #expect(throws: TokenCacheError.self) {
            try Self.metadata(
                CloudMetadataTests.entry("a.example", "a.example", ["both.example"]),
                CloudMetadataTests.entry("b.example", "b.example", ["both.example"])
            )
        }
    }

    // MARK: - In the group

    /// Whether a cache takes two hosts of the new cloud for one.
    private func knows(_ cache: TokenCache) throws -> Bool {
        let query = MatchingCase.query("user.read", environment: "login.new.example")
        return try cache.token(for: query).summary() == "valid at"
    }

    private func groupWithToken() throws -> TestGroup {
        let group = try TestGroup()
        try group.put(.accessToken(environment: "sts.new.example", expiresOn: TestEntry.start + 900_000))
        return group
    }

    @Test("all processes of the group know it, open ones and new ones, at the next use of a prepared query")
    func shared() throws {
        let group = try groupWithToken()
        let (one, other) = (try group.cache(), try group.cache(client: "client-b"))
        let third = try group.cache()
        let query = MatchingCase.query("user.read", environment: "login.new.example")
        #expect(try third.token(for: query).summary() == "interaction refreshTokenMissing")
        try one.learn(metadata)
        #expect(try third.token(for: query).summary() == "valid at")
        #expect(try knows(try group.cache()))
        try TestResponse.signIn().asked { $0.environment = "login.new.example" }.save(in: other)
        let saved = try group.entries().filter { $0.fields.kind == .accessToken && $0.fields.clientID == "client-b" }
        #expect(saved.map(\.fields.environment) == ["cache.new.example"])
    }

    @Test("lists of accounts know it")
    func listed() throws {
        let group = try TestGroup()
        try group.put(
            .refreshToken(client: "b", environment: "sts.new.example", family: "1"),
            .account(environment: "sts.new.example"),
            .appMetadata(environment: "login.new.example", family: "")
        )
        let cache = try group.cache()
        #expect(try cache.accounts().count == 1)
        try group.cache(client: "other").learn(metadata)
        #expect(try cache.accounts().isEmpty, "the client is known to be in no family of that cloud")
    }

    @Test(
        "it is valid for 24 hours, and not while the clock is before it",
        arguments: [(0, true), (86_399, true), (86_400, false), (-1, false)] as [(Int64, Bool)]
    )
    func lifetime(seconds: Int64, isKnown: Bool) throws {
        let group = try groupWithToken()
        try group.cache().learn(metadata)
        group.clock.advance(by: seconds)
        #expect(try knows(try group.cache()) == isKnown)
    }

    @Test("it is stored again only in the second half of its time")
    func storedOnce() throws {
        let group = try groupWithToken()
        func sequence() throws -> UInt64? {
            let contents = try MemoryStore(group.backing).contents(of: try group.codec.groupPartition())
            return contents.records.first(where: \.kind.isCloudMetadata)?.sequence
        }
        try group.cache().learn(metadata)
        let first = try sequence()
        #expect(first != nil)
        group.clock.advance(by: 43_000)
        try group.cache().learn(metadata)
        #expect(try sequence() == first)
        group.clock.advance(by: 400)
        try group.cache().learn(metadata)
        #expect(try sequence() != first)
    }

    @Test(
        "a cache remembers it while the group cannot be read or written",
        arguments: [true, false]
    )
    func unstored(isReadable: Bool) throws {
        let group = try groupWithToken()
        let (store, cache) = try group.watchedCache()
        #expect(try !knows(cache))
        store.order { orders in
            if !isReadable {
                for call in 1...2 { orders.contentsErrors[orders.contentsCount + call] = StorageError(.busy) }
            }
            orders.refusal = StorageError(.busy)
        }
        let error = #expect(throws: TokenCacheError.self) { try cache.learn(metadata) }
        #expect(error?.code == .busy)
        let version = cache.engine.clouds.version
        let joining = CloudMetadataTests.entry("a", "a", ["sts.new.example", "login.microsoftonline.us"])
        let joiningError = #expect(throws: TokenCacheError.self) { try cache.learn(Self.metadata(joining)) }
        #expect(joiningError?.code == .malformedDocument)
        #expect(cache.engine.clouds.version == version)
        #expect(try knows(cache))
        #expect(try !knows(group.cache()), "the others do not know it")
    }

    @Test("a cloud as large as it may be is stored once")
    func largestCloud() throws {
        let group = try groupWithToken()
        let hosts = (0..<62).map { "h\($0).example" }
        let largest = try Self.metadata(CloudMetadataTests.entry("network.example", "cache.example", hosts))
        func opened() throws -> UInt64? {
            let options = TokenCacheOptions(clock: group.clock.wallClock, clouds: largest)
            let store = MemoryStore(group.backing)
            let cache = try TokenCache(store: store, unlockedKeys: group.unlockedKeys, clientID: "c", options: options)
            #expect(cache.engine.clouds.cloud(of: "h61.example")?.hosts.count == 64)
            let contents = try store.contents(of: try group.codec.groupPartition())
            return contents.records.first(where: \.kind.isCloudMetadata)?.sequence
        }
        let first = try opened()
        #expect(first != nil)
        #expect(try opened() == first)
    }

    @Test("metadata learned about other hosts stays beside it")
    func several() throws {
        let group = try groupWithToken()
        try group.cache().learn(metadata)
        try group.cache().learn(greedy)
        #expect(try knows(try group.cache()))
        let query = MatchingCase.query("user.read", environment: "login.local")
        try group.put(.accessToken("public"))
        #expect(try group.cache().token(for: query).summary() == "valid public")
    }

    @Test("stored clouds are read as they were written, and implausible ones are left out")
    func encoding() throws {
        let stored = StoredClouds().adding(metadata.clouds, at: 1000)
        #expect(try StoredClouds(decoding: stored.encoded()) == stored)
        #expect(stored.clouds(at: 1000) == metadata.clouds)
        var record = InternalRecordFacts()
        for json in [
            "", "5", "[5]", "[{}]", #"[{"preferred_network":"a/b","preferred_cache":"c","aliases":[],"learned_at":1}]"#,
        ] {
            record[bytes: .clouds] = Array(json.utf8)
            #expect(try StoredClouds(decoding: record.encoded()) == StoredClouds())
        }
        let many = (0..<100).map {
            Cloud(hosts: [], preferredNetworkHost: UTF8Text("h\($0)"), preferredCacheHost: UTF8Text("h\($0)"))
        }
        let bounded = many.reduce(StoredClouds()) { $0.adding([$1], at: 1) }
        #expect(bounded.clouds(at: 1).map { $0.preferredCacheHost.string } == (36..<100).map { "h\($0)" })
        let long = String(repeating: "a", count: 60)
        let large = (0..<64).map { cloud in
            let hosts = (0..<64).map { UTF8Text("\(long).\(long).\(long).\(long).h\($0).c\(cloud)") }
            return Cloud(hosts: hosts, preferredNetworkHost: hosts[0], preferredCacheHost: hosts[0])
        }
        let kept = StoredClouds().adding(large, at: 1)
        #expect(kept.encoded().count <= StoredClouds.byteLimit)
        #expect(kept.clouds(at: 1).last == large.last)
    }

    @Test("a record of it that cannot be read is nothing learnt, and is replaced")
    func damaged() throws {
        let group = try groupWithToken()
        let tag = try group.codec.cloudMetadataTag()
        let partition = try group.codec.groupPartition()
        let nonsense: [UInt8] = [9, 9]
        try MemoryStore(group.backing).commit(until: .standard) { (context, batch) throws(StorageError) in
            try batch.put(
                try group.codec.seal(
                    facts: nonsense.rawSpan,
                    secret: RawSpan(),
                    kind: InternalRecordKind.cloudMetadata.recordKind,
                    at: RecordAddress(tag: tag, partition: partition, searchTags: []),
                    in: context
                )
            )
        }
        let cache = try group.cache()
        #expect(try !knows(cache))
        try cache.learn(metadata)
        #expect(try knows(try group.cache()))
    }

    @Test("an import uses it: entries under another host of the same cloud are the same")
    func imported() throws {
        let fixture = GroupFixture()
        let stored = try fixture.createGroup()
        func document(_ host: String, _ secret: String) -> Document {
            .sections([
                "RefreshToken": [
                    Document.refreshToken(key: host, secret: secret).replacing("login.windows.net", with: host)
                ]
            ])
        }
        try stored.take(document("sts.new.example", "one"))
        let cache = try TokenCache(store: stored.opened.store, unlockedKeys: stored.opened.unlockedKeys, clientID: "c")
        #expect(try stored.take(document("login.new.example", "two")).counts.new == 1)
        try cache.learn(metadata)
        #expect(try stored.take(document("cache.new.example", "three")).counts.older == 1)
    }

    @Test("a sign-out knows it: the family's token stays for a member that got it on another host of the cloud")
    func signOut() throws {
        let group = try TestGroup()
        try group.put(
            .refreshToken(environment: "sts.new.example", family: "1"),
            .appMetadata(client: "client-b", environment: "login.new.example", family: "1"),
            .accessToken(client: "client-b", environment: "login.new.example")
        )
        let cache = try group.cache()
        try group.cache(client: "client-b").learn(metadata)
        try cache.signOut(accountID: TestGroup.accountID)
        #expect(try group.entries().contains { $0.fields.kind == .refreshToken })
    }

    @Test("an import knows it: addresses of MSAL for ObjC may be of two hosts of the cloud")
    func importedAddresses() throws {
        let fixture = GroupFixture()
        let stored = try fixture.createGroup()
        let cache = try TokenCache(
            store: stored.opened.store,
            unlockedKeys: stored.opened.unlockedKeys,
            clientID: "client"
        )
        try cache.learn(metadata)
        let token = Document.accessToken(cachedAt: Int(WallClock.system.now().secondsSince1970))
        try stored.take(
            .sections([
                "AccessToken": [token.replacing("login.windows.net", with: "sts.new.example")],
                "AccountMetadataMap": [
                    #""k": {"client_id": "client", "account_metadata_map": {"UID.utid": {"sign_in_state": "signed_in", "athority_map": {"URLMap-": {"https://login.new.example/contoso.com": "https://sts.new.example/contoso"}}}}}"#
                ],
            ])
        )
        let query = MatchingCase.query("user.read", tenant: "contoso.com", environment: "login.new.example")
        guard case .valid = try cache.token(for: query) else { throw Unexpected() }
    }

    @Test("lookups and learning at the same time do not disturb each other")
    func race() async throws {
        let group = try TestGroup()
        try group.put(.accessToken(environment: "sts.new.example"))
        let cache = try group.cache()
        let metadata = metadata
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<2 {
                tasks.addTask {
                    for _ in 0..<200 {
                        let query = MatchingCase.query("user.read", environment: "sts.new.example")
                        #expect(throws: Never.self) { try cache.token(for: query) }
                    }
                }
            }
            tasks.addTask {
                for index in 0..<20 {
                    let entry = CloudMetadataTests.entry("h\(index).example", "h\(index).example", ["sts.new.example"])
                    if let more = try? CloudMetadata(discoveryJSON: Array(CloudMetadataTests.document(entry).utf8)) {
                        try? cache.learn(more)
                    }
                }
                try? cache.learn(metadata)
            }
        }
        let query = MatchingCase.query("user.read", environment: "h7.example")
        #expect(try await cache.token(for: query).summary() == "valid at")
    }
}
