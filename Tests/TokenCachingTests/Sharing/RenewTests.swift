// SPDX-License-Identifier: Apache-2.0

import Programs
import RecordStorage
import Synchronization
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Renewing once for all", .timeLimit(.minutes(10)))
struct RenewTests {
    let group: TestGroup
    let cache: TokenCache
    let query = MatchingCase.query("user.read")

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    /// What a server answers that gives new tokens.
    private func renewed(_ token: String, refreshToken: String? = "rt2") throws -> RenewalOutcome {
        try TestResponse.signIn(accessToken: token, refreshToken: refreshToken).outcome
    }

    /// Signs in without an access token.
    private func signIn(family: String? = nil) throws {
        try TestResponse.signIn(family: family).with("access_token", nil).save(in: cache)
    }

    @Test("a valid token is returned without a request")
    func valid() async throws {
        try TestResponse.signIn().save(in: cache)
        let decision = try await cache.renew(query) { _ in
            Issue.record("nothing was to be renewed")
            return .unavailable
        }
        #expect(try decision.summary() == "valid at")
    }

    @Test("an expired token is renewed, and the new ones are stored")
    func expired() async throws {
        try signIn()
        let decision = try await cache.renew(query) { token in
            #expect(try token.secretString == "rt")
            return try renewed("new")
        }
        #expect(try decision.summary() == "valid new")
        #expect(try await group.cache().token(for: query).summary() == "valid new")
    }

    @Test("it works without a task as well")
    func synchronous() throws {
        try signIn()
        let decision = try cache.renewSynchronously(query) { _ in try renewed("new") }
        #expect(try decision.summary() == "valid new")
    }

    @Test("of many tasks and caches that want a new token one asks the server", .timeLimit(.minutes(10)))
    func shared() async throws {
        try signIn()
        let caches = try (0..<4).map { _ in try group.cache() }
        let count = Counter()
        let tasks = (0..<24).map { number in
            Task {
                let decision = try await caches[number % 4].renew(MatchingCase.query("user.read")) { _ in
                    _ = count.next()
                    try await Task.sleep(for: .milliseconds(50))
                    return try renewed("new")
                }
                return try decision.summary()
            }
        }
        for task in tasks {
            let answer = try await task.value
            #expect(answer == "valid new")
        }
        #expect(count.value == 1)
    }

    @Test("simultaneous forced renewals get one new token, and a later one another", .timeLimit(.minutes(10)))
    func forced() async throws {
        let (store, cache) = try group.watchedCache()
        try TestResponse.signIn().save(in: cache)
        let count = Counter()
        let tasks = (0..<2).map { _ in
            Task {
                try await renewForced(cache, count) {
                    // Not before the other one has looked, and found the lease taken.
                    try await untilTrue("the other one waits") { store.order { $0.leaseCount } >= 2 }
                }
            }
        }
        for task in tasks {
            let answer = try await task.value
            #expect(answer == "valid new1")
        }
        let later = try await renewForced(cache, count) {}
        #expect(later == "valid new2")
    }

    private func renewForced(
        _ cache: TokenCache,
        _ count: Counter,
        _ wait: () async throws -> Void
    ) async throws -> String {
        let forced = MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))
        let decision = try await cache.renew(forced) { _ in
            let number = count.next()
            try await wait()
            return try renewed("new\(number)", refreshToken: "rt\(number)")
        }
        return try decision.summary()
    }

    @Test("if the closure throws, its error is returned and the next one tries", .timeLimit(.minutes(10)))
    func thrown() async throws {
        struct Trouble: Error {}
        try signIn()
        let error = await #expect(throws: TokenCacheError.self) {
            _ = try await cache.renew(query) { _ in throw Trouble() }
        }
        #expect(error?.code == .renewalFailed)
        #expect(error?.underlying is Trouble)
        let next = try await cache.renew(query) { _ in try renewed("new") }
        #expect(try next.summary() == "valid new")
    }

    @Test("a dead refresh token is removed once, and all callers get refreshTokenLost")
    func refused() async throws {
        try signIn()
        let decision = try await cache.renew(query) { _ in .refused(error: "invalid_grant", suberror: "bad_token") }
        #expect(try decision.summary() == "interaction refreshTokenLost")
        #expect(try await group.cache().token(for: query).summary() == "interaction refreshTokenLost")
        let again = try await cache.renew(query) { _ in
            Issue.record("there is nothing to spend")
            return .unavailable
        }
        #expect(try again.summary() == "interaction refreshTokenLost")
        try TestResponse.signIn().save(in: cache)
        #expect(try await cache.token(for: query).summary() == "valid at")
        try group.remove(.accessToken())
    }

    @Test("a refusal that requires the user keeps the refresh token")
    func interaction() async throws {
        try signIn()
        let decision = try await cache.renew(query) { _ in .refused(error: "interaction_required") }
        #expect(try decision.summary() == "interaction renewalRefused")
        #expect(try await cache.token(for: query).summary().hasPrefix("renew rt"))
    }

    @Test("a server that cannot be reached leaves everything as it is")
    func unavailable() async throws {
        try signIn()
        let error = await #expect(throws: TokenCacheError.self) {
            _ = try await cache.renew(query) { _ in .unavailable }
        }
        #expect(error?.code == .renewalUnavailable)
        #expect(try await cache.token(for: query).summary().hasPrefix("renew rt"))
    }

    @Test("a caller that waits longer than allowed gets renewalBusy, and redeems nothing", .timeLimit(.minutes(10)))
    func busy() throws {
        try signIn()
        let other = try group.cache()
        _ = try cache.renewSynchronously(query) { _ in
            let error = #expect(throws: TokenCacheError.self) {
                try other.renewSynchronously(query, timeout: .milliseconds(50)) { _ in
                    Issue.record("two spend the same token")
                    return .unavailable
                }
            }
            #expect(error?.code == .renewalBusy)
            return try renewed("new")
        }
    }

    @Test("an aging token is renewed, and returned unchanged if that fails or another process is renewing it")
    func ageing() throws {
        try TestResponse.signIn().with("refresh_in", 1).save(in: cache)
        group.clock.advance(by: 1)
        let other = try group.cache()
        let failed = try cache.renewSynchronously(query) { _ in
            let meanwhile = try other.renewSynchronously(query) { _ in
                Issue.record("two spend the same token")
                return .unavailable
            }
            #expect(try meanwhile.summary() == "valid at renew")
            throw CancellationError()
        }
        #expect(try failed.summary() == "valid at renew")
        #expect(try cache.renewSynchronously(query) { _ in try renewed("new") }.summary() == "valid new")
    }

    @Test("a task that is cancelled stops waiting for others", .timeLimit(.minutes(10)))
    func cancelled() async throws {
        try signIn()
        let (store, other) = try group.watchedCache()
        _ = try await cache.renew(query) { _ in
            let waiting = Task { [query] in try await other.renew(query) { _ in .unavailable } }
            try await untilTrue("the other one waits") { store.order { $0.leaseCount } >= 1 }
            waiting.cancel()
            let error = await #expect(throws: TokenCacheError.self) { _ = try await waiting.value }
            #expect(error?.code == .cancelled)
            return try renewed("new")
        }
    }

    @Test("every copy of the spent token is replaced with it, and copies share a lease")
    func copies() async throws {
        try signIn(family: "1")
        try group.put(.refreshToken("rt", client: "client-b"), .refreshToken("other", client: "client-c"))
        let other = try group.cache(client: "client-b")
        _ = try await cache.renew(query) { _ in
            let error = await #expect(throws: TokenCacheError.self) {
                _ = try await other.renew(MatchingCase.query("user.read"), timeout: .milliseconds(30)) { _ in
                    .unavailable
                }
            }
            #expect(error?.code == .renewalBusy)
            return try TestResponse.signIn(accessToken: "new", refreshToken: "rt2", family: "1").outcome
        }
        let tokens = try group.secrets { $0 == .refreshToken }
        #expect(!tokens.contains("rt"))
        #expect(tokens.contains("rt2") && tokens.contains("other"))
    }

    @Test("a sign-in that comes in between wins over the renewal")
    func superseded() async throws {
        try signIn()
        let decision = try await cache.renew(query) { token in
            try TestResponse.signIn(accessToken: "signed-in", refreshToken: "rt9").save(in: cache)
            return try renewed("new")
        }
        #expect(try decision.summary() == "valid signed-in")
        let tokens = try group.secrets { $0 == .refreshToken }
        #expect(tokens == ["rt9"])
    }

    @Test("a sign-out that comes in between is not undone")
    func signedOut() async throws {
        let account = try #require(try TestResponse.signIn().with("access_token", nil).save(in: cache))
        let error = await #expect(throws: TokenCacheError.self) {
            _ = try await cache.renew(query) { _ in
                try cache.signOut(account)
                return try renewed("new")
            }
        }
        #expect(error?.code == .signedOut)
        #expect(try group.secrets() == [])
    }

    @Test("a sign-out right after the new tokens were stored is reported as signedOut")
    func signedOutAfterwards() throws {
        try signIn()
        let (store, renewing) = try group.watchedCache()
        let decision = try renewing.renewSynchronously(query) { [cache] _ in
            store.order { $0.afterCommit = { try? cache.signOut(accountID: TestGroup.accountID) } }
            return try renewed("new")
        }
        #expect(try decision.summary() == "interaction signedOut")
    }

    @Test("a token removed before the closure could open it is not a failure of the closure")
    func gone() async throws {
        let account = try #require(try TestResponse.signIn().with("access_token", nil).save(in: cache))
        let decision = try await cache.renew(query) { token in
            try cache.signOut(account)
            _ = try token.secretString
            return .unavailable
        }
        #expect(try decision.summary() == "interaction signedOut")
    }

    @Test("under a lease no other token is opened instead of one that was removed")
    func exact() async throws {
        try signIn()
        let count = Counter()
        let decision = try await cache.renew(query) { token in
            if count.next() == 1 {
                try cache.noteRefusal(
                    of: token,
                    response: TokenErrorResponse(error: "invalid_grant", suberror: "bad_token")
                )
                try TestResponse.signIn(refreshToken: "rt9").with("access_token", nil).save(in: group.cache())
                #expect(throws: TokenCacheError.self) { try token.secretString }
                return try TestResponse.signIn(accessToken: "lost").outcome
            }
            #expect(try token.secretString == "rt9")
            return try renewed("new")
        }
        #expect(try decision.summary() == "valid new")
        #expect(count.value == 2)
    }

    @Test(
        "tokens redeemed with an older library's token are stored beside a family's token that this client may not redeem"
    )
    func legacy() async throws {
        try group.put(
            .account(),
            .appMetadata(family: ""),
            .refreshToken("family", client: "other", family: "1")
        )
        try group.takeLegacy(LegacyCache.item())
        let decision = try await cache.renew(query) { token in
            #expect(try token.secretString == "adal-rt")
            return try renewed("new")
        }
        #expect(try decision.summary() == "valid new")
    }

}
