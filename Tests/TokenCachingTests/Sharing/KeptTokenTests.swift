// SPDX-License-Identifier: Apache-2.0

import GroupRecords
import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Whatever fails in getting a new token, one that only ages is handed out", .timeLimit(.minutes(10)))
struct KeptTokenTests {
    let group: TestGroup
    let store: WatchedStore
    let cache: TokenCache
    let query = MatchingCase.query("user.read")
    let application = TokenQuery(
        applicationScopes: ["app/.default"],
        tenant: "utid",
        environment: "login.microsoftonline.com"
    )

    init() throws {
        group = try TestGroup()
        (store, cache) = try group.watchedCache()
        try TestResponse.signIn().with("refresh_in", 1).save(in: cache)
        _ = try cache.acquireApplicationTokenSynchronously(application) { try Self.tokens("app", refreshIn: 1) }
        group.clock.advance(by: 1)
    }

    private static func tokens(_ accessToken: String, refreshIn: Int) throws -> RenewalOutcome {
        let text =
            #"{"expires_in":3600,"refresh_in":\#(refreshIn),"access_token":"\#(accessToken)","refresh_token":"r"}"#
        return .response(try TokenResponse(json: Array(text.utf8)))
    }

    @Test("in a group that is read only")
    func readOnly() async throws {
        let reading = try group.cache(store: MemoryStore(group.backing, readOnlyReason: StorageError(.readOnly)))
        let renewed = try await reading.renew(query) { _ in try Self.tokens("new", refreshIn: 1) }
        #expect(try renewed.summary() == "valid at renew")
        let acquired = try await reading.acquireApplicationToken(application) { try Self.tokens("new", refreshIn: 1) }
        #expect(try acquired.summary() == "valid app renew")
        let forced = MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))
        let error = await #expect(throws: TokenCacheError.self) {
            _ = try await reading.renew(forced) { _ in try Self.tokens("new", refreshIn: 1) }
        }
        #expect(error?.code == .readOnly)
    }

    @Test(
        "where the answer cannot be stored",
        arguments: [StorageError.Code.full, .readOnly, .system],
        [nil, TokenErrorResponse(error: "invalid_grant", suberror: "bad_token")]
    )
    func unwritten(code: StorageError.Code, refusal: TokenErrorResponse?) throws {
        #expect(try cache.renewSynchronously(query) { _ in try answer(code, refusal) }.summary() == "valid at renew")
        #expect(
            try cache.acquireApplicationTokenSynchronously(application) { try answer(code, refusal) }.summary()
                == "valid app renew"
        )
        // Once it has ended, whoever asks is told.
        group.clock.advance(by: 3600)
        let error = #expect(throws: TokenCacheError.self) {
            _ = try cache.renewSynchronously(query) { _ in try answer(code, refusal) }
        }
        #expect(error?.code == TokenCacheError(StorageError(code)).code)
    }

    @Test("the same in a task")
    func unwritten() async throws {
        let renewed = try await cache.renew(query) { _ in try answer(.full, nil) }
        #expect(try renewed.summary() == "valid at renew")
        let acquired = try await cache.acquireApplicationToken(application) { try answer(.full, nil) }
        #expect(try acquired.summary() == "valid app renew")
    }

    /// What a server answers, and from now on nothing can be stored.
    private func answer(_ code: StorageError.Code, _ refusal: TokenErrorResponse?) throws -> RenewalOutcome {
        store.order { $0.refusal = StorageError(code) }
        return try refusal.map { .refused($0) } ?? Self.tokens("new", refreshIn: 1)
    }

    @Test("where the refresh token is damaged")
    func damaged() throws {
        let entry = try #require(try group.entries().first { $0.facts.kind == .refreshToken })
        let address = try group.codec.address(of: entry.facts)
        try MemoryStore(group.backing).commit(until: .standard) { (_, batch) throws(StorageError) in
            try batch.put(
                NewRecord(
                    tag: address.tag,
                    partition: address.partition,
                    kind: RecordKind(rawValue: EntryKind.refreshToken.rawValue),
                    facts: [UInt8](repeating: 7, count: 128),
                    secret: [UInt8](repeating: 7, count: 64),
                    searchTags: []
                )
            )
        }
        #expect(try cache.renewSynchronously(query) { _ in .unavailable }.summary() == "valid at renew")
        group.clock.advance(by: 3600)
        let error = #expect(throws: TokenCacheError.self) {
            _ = try cache.renewSynchronously(query) { _ in .unavailable }
        }
        #expect(error?.code == .damaged)
    }

    @Test("but not after a sign-out")
    func signedOut() throws {
        let error = #expect(throws: TokenCacheError.self) {
            _ = try cache.renewSynchronously(query) { _ in
                try cache.signOut(accountID: TestGroup.accountID)
                try TestResponse.signIn(accessToken: "later").save(in: cache)
                return try Self.tokens("new", refreshIn: 1)
            }
        }
        #expect(error?.code == .signedOut)
    }

    @Test("the closure's error is returned if the store cannot be read")
    func thrown() throws {
        struct Trouble: Error {}
        group.clock.advance(by: 3600)
        let error = #expect(throws: TokenCacheError.self) {
            _ = try cache.renewSynchronously(query) { _ in
                try TestResponse.signIn().with("access_token", nil).save(in: group.cache())
                store.order { orders in
                    orders.contentsErrors = [:]
                    for number in 1...10 {
                        orders.contentsErrors[orders.contentsCount + number] = StorageError(.damaged)
                    }
                }
                throw Trouble()
            }
        }
        #expect(error?.code == .renewalFailed && error?.underlying is Trouble)
    }

    @Test("however many refresh tokens are dead")
    func manyDead() throws {
        for number in 0..<10 { try group.put(TestEntry.refreshToken("rt\(number)").under("k\(number)")) }
        var count = 0
        let result = try cache.renewSynchronously(query) { _ in
            count += 1
            return .refused(error: "invalid_grant", suberror: "bad_token")
        }
        #expect(try result.summary() == "valid at renew")
        #expect(count == 8)
    }
}
