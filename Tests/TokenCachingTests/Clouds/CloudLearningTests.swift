import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching

@Suite("A cache learns which hosts are one cloud")
struct CloudLearningTests {
    private let metadata: CloudMetadata

    init() throws {
        metadata = try CloudMetadata(
            discoveryJSON: Array(
                CloudMetadataTests.document(
                    CloudMetadataTests.entry("login.new.example", "cache.new.example", ["sts.new.example"]),
                    CloudMetadataTests.entry(
                        "evil.example",
                        "evil.example",
                        ["login.microsoftonline.com", "login.microsoftonline.us", "login.local"]
                    )
                ).utf8
            )
        )
    }

    @Test("a query that was answered before sees it at its next use")
    func preparedQuery() throws {
        let group = try TestGroup()
        try group.put(.accessToken(environment: "sts.new.example"))
        let cache = try group.cache()
        let query = MatchingCase.query("user.read", environment: "login.new.example")
        #expect(try cache.token(for: query).summary() == "interaction refreshTokenMissing")
        cache.learn(metadata)
        #expect(try cache.token(for: query).summary() == "valid at")
        guard case .valid(let before) = try cache.token(for: query) else { throw Unexpected() }
        cache.learn(metadata)
        guard case .valid(let after) = try cache.token(for: query) else { throw Unexpected() }
        #expect(before.answer === after.answer, "what is no news makes nothing be worked out anew")
    }

    @Test("options tell a cache from the beginning")
    func options() throws {
        let group = try TestGroup()
        try group.put(.refreshToken(environment: "sts.new.example"))
        let cache = try TokenCache(
            store: MemoryStore(group.backing),
            keyring: group.keyring,
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
        cache.learn(metadata)
        #expect(try cache.accounts().isEmpty, "the client is known to be in no family of that cloud")
        try TestResponse.signIn().asked { $0.environment = "login.new.example" }.save(in: cache)
        let token = try #require(try group.entries().first { $0.fields.kind == .accessToken })
        #expect(token.fields.environment == "cache.new.example")
    }

    @Test("no answer joins two clouds that ship, or sends their refresh tokens elsewhere")
    func hostile() throws {
        let group = try TestGroup()
        try group.put(
            .refreshToken("public"),
            .refreshToken("government", environment: "login.microsoftonline.us")
        )
        let cache = try group.cache()
        cache.learn(metadata)
        for (host, secret) in [
            ("login.microsoftonline.com", "public"), ("login.microsoftonline.us", "government"),
            ("login.local", "public"), ("evil.example", "public"),
        ] {
            let query = MatchingCase.query("a", environment: host)
            guard case .renew(let token, nil) = try cache.token(for: query) else { throw Unexpected() }
            #expect(try token.secretString == secret)
            #expect(try token.next == nil)
            #expect(
                token.networkHost == (secret == "public" ? "login.microsoftonline.com" : "login.microsoftonline.us")
            )
        }
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
                        cache.learn(more)
                    }
                }
                cache.learn(metadata)
            }
        }
        let query = MatchingCase.query("user.read", environment: "h7.example")
        #expect(try cache.token(for: query).summary() == "valid at")
    }
}
