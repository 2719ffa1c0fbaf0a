// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A new query that is asked asynchronously")
struct CachedDecisionTests {
    let group: TestGroup
    let store: WatchedStore
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        (store, cache) = try group.watchedCache()
        _ = try TestResponse.signIn().saveAll(in: cache)
        _ = try cache.token(for: MatchingCase.query("user.read"))
    }

    private var storeCalls: Int { store.order { $0.refreshCount + $0.contentsCount + $0.leaseCount } }

    @Test("is answered from memory if the account was asked for before and its token is valid")
    func known() throws {
        let before = storeCalls
        let query = MatchingCase.query("User.Read")
        let decision = try #require(cache.engine.cachedDecision(for: query))
        #expect(try decision.summary() == "valid at")
        #expect(storeCalls == before)
        // What was found is the query's answer from now on.
        #expect(try cache.engine.validDecision(for: query)?.summary() == "valid at")
    }

    static let others: [(name: String, query: TokenQuery)] = [
        ("a scope that was not granted", MatchingCase.query("files.read")),
        ("another tenant", MatchingCase.query("user.read", tenant: "guest")),
        ("another account", MatchingCase.query("user.read", account: "some.body")),
        ("an unknown host", MatchingCase.query("user.read", environment: "login.example")),
        ("a forced renewal", MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))),
        ("no scope", MatchingCase.query()),
        ("a username", TokenQuery(username: "user@contoso.com", scopes: ["user.read"])),
    ]

    @Test("is left to a thread that may wait if anything else has to be found out", arguments: others.indices)
    func other(index: Int) async throws {
        let (_, query) = Self.others[index]
        #expect(cache.engine.cachedDecision(for: query) == nil)
        func outcome(_ decide: () async throws -> TokenDecision) async -> String {
            do { return try await decide().summary() } catch { return "\(error)" }
        }
        let asynchronous = await outcome { try await cache.token(for: query) }
        func synchronously(_ query: TokenQuery) throws -> TokenDecision { try cache.token(for: query) }
        #expect(await outcome { try synchronously(query) } == asynchronous)
    }

    @Test("gives the token that another process saved, and none that it removed")
    func changed() async throws {
        let other = try group.cache()
        let saved = try TestResponse.signIn(accessToken: "new").saveAll(in: other)
        let query = MatchingCase.query("User.Read")
        #expect(cache.engine.cachedDecision(for: query) == nil)
        #expect(try await cache.token(for: query).summary() == "valid new")
        try await other.signOut(try #require(saved.account))
        let next = MatchingCase.query("User.Read")
        #expect(cache.engine.cachedDecision(for: next) == nil)
        #expect(try await cache.token(for: next).summary() != "valid new")
    }

    @Test("throws once the cache is closed")
    func closed() async throws {
        cache.close()
        let error = await #expect(throws: TokenCacheError.self) {
            _ = try await cache.token(for: MatchingCase.query("User.Read"))
        }
        #expect(error?.code == .closed)
    }
}
