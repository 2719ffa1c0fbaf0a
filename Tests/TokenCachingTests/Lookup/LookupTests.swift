import RecordStorage
import Testing

@testable import TokenCaching

@Suite("Lookups see what is stored")
struct LookupTests {
    let group: TestGroup
    let query = TokenQuery(account: TestGroup.account, scopes: ["user.read"], tenant: "utid")

    init() throws {
        group = try TestGroup()
    }

    @Test("a stored token is found and opens")
    func hit() throws {
        try group.put(.accessToken("secret-1"))
        let cache = try group.cache()
        #expect(try cache.token(for: query).summary() == "valid secret-1")
        #expect(try cache.token(for: query).summary() == "valid secret-1")
    }

    @Test("an account of which nothing is stored is unknown")
    func miss() throws {
        let cache = try group.cache()
        #expect(try cache.token(for: query).summary() == "interaction accountUnknown")
    }

    @Test("what another cache stores is found at the next lookup")
    func foreignCommit() throws {
        let cache = try group.cache()
        #expect(try cache.token(for: query).summary() == "interaction accountUnknown")
        try group.put(.accessToken("one").under("k"))
        #expect(try cache.token(for: query).summary() == "valid one")
        try group.put(.accessToken("two").under("k"))
        #expect(try cache.token(for: query).summary() == "valid two")
    }

    @Test("an answer is kept while other accounts change, and found again")
    func foreignCommitElsewhere() throws {
        try group.put(.accessToken("one"))
        let cache = try group.cache()
        guard case .valid(let before) = try cache.token(for: query) else { throw Unexpected() }
        try group.put(.accessToken("other", account: "x.y"))
        guard case .valid(let after) = try cache.token(for: query) else { throw Unexpected() }
        #expect(before.answer === after.answer)
    }

    @Test("a repeated lookup gives the very same answer object")
    func repeated() throws {
        try group.put(.accessToken("one"))
        let cache = try group.cache()
        guard case .valid(let first) = try cache.token(for: query) else { throw Unexpected() }
        guard case .valid(let second) = try cache.token(for: query) else { throw Unexpected() }
        #expect(first.answer === second.answer)
    }

    @Test("one query asked of two groups gets the answer of each")
    func twoGroups() throws {
        let other = try TestGroup()
        try group.put(.accessToken("one"))
        try other.put(.accessToken("two"))
        let caches = (try group.cache(), try other.cache())
        for _ in 1...3 {
            #expect(try caches.0.token(for: query).summary() == "valid one")
            #expect(try caches.1.token(for: query).summary() == "valid two")
        }
    }

    @Test("a closed cache says so, also to a query that it had answered")
    func closed() throws {
        try group.put(.accessToken("one"))
        let cache = try group.cache()
        _ = try cache.token(for: query)
        cache.close()
        let error = #expect(throws: TokenCacheError.self) { try cache.token(for: query) }
        #expect(error?.code == .closed)
    }

    @Test("a token whose secret was erased is replaced by its successor when it is opened")
    func successor() throws {
        let entry = TestEntry.accessToken("one").under("k")
        try group.put(entry)
        let cache = try group.cache()
        guard case .valid(let token) = try cache.token(for: query) else { throw Unexpected() }
        try group.remove(entry)
        try group.put(.accessToken("two").under("k2"))
        #expect(try token.secretString == "two")
    }

    @Test("a token that was removed and has no successor is gone")
    func gone() throws {
        let entry = TestEntry.accessToken("one")
        try group.put(entry)
        let cache = try group.cache()
        guard case .valid(let token) = try cache.token(for: query) else { throw Unexpected() }
        try group.remove(entry)
        let error = #expect(throws: TokenCacheError.self) { try token.secretString }
        #expect(error?.code == .tokenGone)
    }

    @Test("a secret with escapes in its JSON is handed out unescaped")
    func escapes() throws {
        try group.put(TestEntry.accessToken().with("secret", json: #""a\/b\u0041""#))
        #expect(try group.cache().token(for: query).summary() == "valid a/bA")
    }

    @Test("a query without scopes, account or tenant is refused", arguments: [0, 1, 2])
    func improperQuery(index: Int) throws {
        let queries = [
            TokenQuery(account: TestGroup.account, scopes: [" "]), TokenQuery(account: "", scopes: ["a"]),
            TokenQuery(applicationScopes: ["a"], tenant: ""),
        ]
        let cache = try group.cache()
        let error = #expect(throws: TokenCacheError.self) { try cache.token(for: queries[index]) }
        #expect(error?.code == .invalidRequest)
    }
}

/// A decision of another sort than the test wants.
struct Unexpected: Error {}
