// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Lookups see stored entries")
struct LookupTests {
    let group: TestGroup
    let query = TokenQuery(accountID: TestGroup.accountID, scopes: ["user.read"], tenant: "utid")

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

    @Test("the next lookup finds entries that another cache stored")
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

    @Test("a token that was removed and has no successor is tokenGone")
    func gone() throws {
        let entry = TestEntry.accessToken("one")
        try group.put(entry)
        let cache = try group.cache()
        guard case .valid(let token) = try cache.token(for: query) else { throw Unexpected() }
        try group.remove(entry)
        let error = #expect(throws: TokenCacheError.self) { try token.secretString }
        #expect(error?.code == .tokenGone)
    }

    /// What was handed out, what is stored once it was removed, and what opens then: nil where the token is gone.
    static let successors: [(String, TestEntry, TestEntry, String?)] = [
        ("an alias", .refreshToken("one"), .refreshToken("two", environment: "sts.windows.net"), "two"),
        ("another cloud", .refreshToken("one"), .refreshToken("two", environment: "login.microsoftonline.us"), nil),
        ("another client", .refreshToken("one"), .refreshToken("two", client: "other", family: "1"), nil),
        (
            "the same family", .refreshToken("one", client: "b", family: "1"),
            .refreshToken("two", client: "c", family: "1"), "two"
        ),
    ]

    @Test("a refresh token is replaced only within its cloud and its client or family", arguments: 0..<successors.count)
    func refreshTokenSuccessor(index: Int) throws {
        let (rule, old, new, expected) = Self.successors[index]
        let query = MatchingCase.query("user.read", environment: nil)
        try group.put(old.under("k"))
        let cache = try group.cache()
        defer { cache.close() }
        guard case .renew(let token, nil) = try cache.token(for: query) else { throw Unexpected() }
        try group.remove(old.under("k"))
        try group.put(new.under("k2"))
        if let expected {
            #expect(try token.secretString == expected, Comment(rawValue: rule))
        } else {
            let error = #expect(throws: TokenCacheError.self, Comment(rawValue: rule)) { try token.secretString }
            #expect(error?.code == .tokenGone, Comment(rawValue: rule))
        }
    }

    @Test("an access token is replaced only by one that is bound to the same key", arguments: ["K1", "K2", nil])
    func successorWithKey(keyID: String?) throws {
        func bound(_ secret: String, _ keyID: String?) -> TestEntry {
            TestEntry.accessToken(secret).with("token_type", "pop").with("kid", keyID).under(secret)
        }
        let query = MatchingCase.query("user.read", options: TokenQueryOptions(tokenType: "pop"))
        try group.put(bound("one", "K1"))
        let cache = try group.cache()
        defer { cache.close() }
        guard case .valid(let token) = try cache.token(for: query) else { throw Unexpected() }
        #expect(token.keyID == "K1")
        try group.remove(bound("one", "K1"))
        try group.put(bound("two", keyID))
        if keyID == "K1" {
            #expect(try token.secretString == "two")
        } else {
            let error = #expect(throws: TokenCacheError.self) { try token.secretString }
            #expect(error?.code == .tokenGone)
        }
    }

    @Test("an access token is not replaced by one of another cloud")
    func accessTokenSuccessor() throws {
        let old = TestEntry.accessToken("one").under("k")
        try group.put(old)
        let cache = try group.cache()
        defer { cache.close() }
        guard case .valid(let token) = try cache.token(for: query) else { throw Unexpected() }
        try group.remove(old)
        try group.put(.accessToken("two", environment: "login.microsoftonline.us"))
        let error = #expect(throws: TokenCacheError.self) { try token.secretString }
        #expect(error?.code == .tokenGone)
    }

    /// Stores a sign-in state of the account that nobody can read.
    private func damageSignInState(client: String) throws {
        let (codec, store) = (group.codec, MemoryStore(group.backing))
        let partition = try codec.partition(ofAccount: Array(TestGroup.account.utf8).rawSpan)
        let tag = try codec.signInStateTag(clientID: client, partition: partition)
        // A field without a length.
        let facts: [UInt8] = [InternalRecordFacts.version, InternalRecordFacts.Field.value.rawValue]
        try store.commit(until: .standard) { (context, batch) throws(StorageError) in
            let record = try codec.seal(
                facts: facts.rawSpan,
                secret: RawSpan(),
                kind: InternalRecordKind.signInState.recordKind,
                at: RecordAddress(tag: tag, partition: partition, searchTags: []),
                in: context
            )
            try batch.put(record)
        }
    }

    @Test("no token is handed out where the client's own sign-in state is damaged; another client's does not matter")
    func damagedSignInState() throws {
        try group.put(.accessToken(), .refreshToken(client: "other", family: "1"))
        let cache = try group.cache()
        let forced = MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))
        try damageSignInState(client: "other")
        #expect(try cache.token(for: query).summary() == "valid at")
        #expect(try cache.token(for: forced).summary() == "renew rt beside at")
        try damageSignInState(client: TestGroup.client)
        for asked in [query, forced] {
            let error = #expect(throws: TokenCacheError.self) { try cache.token(for: asked) }
            #expect(error?.code == .damaged)
        }
    }

    @Test("a secret with escapes in its JSON is handed out unescaped")
    func escapes() throws {
        try group.put(TestEntry.accessToken().with("secret", json: #""a\/b\u0041""#))
        #expect(try group.cache().token(for: query).summary() == "valid a/bA")
    }

    @Test("a query without scopes, account or tenant is refused", arguments: [0, 1, 2])
    func improperQuery(index: Int) throws {
        let queries = [
            TokenQuery(accountID: TestGroup.accountID, scopes: [" "]), TokenQuery(accountID: "", scopes: ["a"]),
            TokenQuery(applicationScopes: ["a"], tenant: ""),
        ]
        let cache = try group.cache()
        let error = #expect(throws: TokenCacheError.self) { try cache.token(for: queries[index]) }
        #expect(error?.code == .invalidRequest)
    }
}
