// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RecordStorage
import Synchronization
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Renewing a valid token is a lookup", .timeLimit(.minutes(10)))
struct GoodTokenTests {
    let group: TestGroup
    let store: WatchedStore
    let cache: TokenCache
    let query = MatchingCase.query("user.read")

    init() throws {
        group = try TestGroup()
        (store, cache) = try group.watchedCache()
    }

    @Test("the caller's actor is not left, so no thread and no task is involved")
    func renewing() async throws {
        try TestResponse.signIn().save(in: cache)
        let caller = Caller(cache)
        // The first renewal looks the token up, and the query keeps the answer.
        let first = try await caller.renew(query, times: 1)
        #expect(first.answer == "valid at")
        let next = try await caller.renew(query, times: 100)
        #expect(next.answer == "valid at" && next.jobCount == 0)
    }

    @Test("the same holds for tokens of the application itself")
    func acquiring() async throws {
        let query = TokenQuery(
            applicationScopes: ["app/.default"],
            tenant: "utid",
            environment: "login.microsoftonline.com"
        )
        let caller = Caller(cache)
        let first = try await caller.acquire(query, times: 1)
        #expect(first.answer == "valid app")
        let next = try await caller.acquire(query, times: 100)
        #expect(next.answer == "valid app" && next.jobCount == 0)
    }

    @Test("nor does an asynchronous lookup with a current answer, whatever that is", arguments: [true, false])
    func lookingUp(isSignedIn: Bool) async throws {
        if isSignedIn { try TestResponse.signIn().save(in: cache) }
        let caller = Caller(cache)
        #expect(cache.lastDecision(for: query) == nil)
        _ = try await caller.token(for: query, times: 1)
        let next = try await caller.token(for: query, times: 100)
        #expect(next.answer == (isSignedIn ? "valid at" : "interaction accountUnknown") && next.jobCount == 0)
    }

    @Test("a lookup by the same query is kept for renewals, and the other way round")
    func sharedAnswer() async throws {
        try TestResponse.signIn().save(in: cache)
        _ = try await cache.token(for: query)
        let renewed = try await Caller(cache).renew(query, times: 1)
        #expect(renewed.jobCount == 0)
        let other = MatchingCase.query("user.read")
        _ = try await cache.renew(other) { _ in .unavailable }
        #expect(other.answers.load()?.isValid(at: cache.engine.currentRevision(), cache, group) == true)
    }

    @Test("the query keeps the tokens that a renewal stored as well")
    func afterRenewal() async throws {
        try TestResponse.signIn().with("access_token", nil).save(in: cache)
        _ = try await cache.renew(query) { _ in
            .response(try TokenResponse(json: TestResponse.signIn(accessToken: "new", refreshToken: "rt2").body))
        }
        let again = try await Caller(cache).renew(query, times: 1)
        #expect(again.answer == "valid new" && again.jobCount == 0)
    }

    @Test("a change by another process is seen at once")
    func foreignChange() async throws {
        let account = try #require(try TestResponse.signIn().save(in: cache))
        _ = try await cache.token(for: query)
        try await group.cache().signOut(account)
        let decision = try await cache.renew(query) { _ in .unavailable }
        #expect(try decision.summary() == "interaction signedOut")
    }

    @Test("a change that moved no word is noticed by the probe")
    func unnoticedChange() async throws {
        try TestResponse.signIn().save(in: cache)
        _ = try await cache.token(for: query)
        let before = store.order { orders in
            orders.hasMoved = true
            return orders.refreshCount
        }
        for _ in 1...1000 where store.order({ $0.refreshCount }) == before {
            try await Task.sleep(for: .milliseconds(10))
            _ = try await cache.renew(query) { _ in .unavailable }
        }
        #expect(store.order { $0.refreshCount } == before + 1)
    }

    @Test(
        "a token that has expired, is aging, or is rejected is not a valid one",
        arguments: ["ended", "ageing", "forced"]
    )
    func notGood(why: String) async throws {
        var response = TestResponse.signIn()
        if why == "ageing" { response = response.with("refresh_in", 1) }
        try response.save(in: cache)
        let options = TokenQueryOptions(forceRefresh: why == "forced")
        let query = MatchingCase.query("user.read", options: options)
        _ = try await cache.token(for: query)
        if why == "ended" { group.clock.advance(by: 3600) }
        if why == "ageing" { group.clock.advance(by: 1) }
        let decision = try await cache.renew(query) { _ in
            .response(try TokenResponse(json: TestResponse.signIn(accessToken: "new", refreshToken: "rt2").body))
        }
        #expect(try decision.summary() == "valid new")
    }

    @Test(
        "a busy store withholds no valid or ageing token: the same as a lookup returns",
        arguments: [StorageError.Code.busy, .timeout],
        ["good", "ageing"]
    )
    func busyStore(code: StorageError.Code, token: String) throws {
        let refreshIn = token == "ageing" ? 1 : 1800
        try TestResponse.signIn().with("refresh_in", refreshIn).save(in: cache)
        let application = TokenQuery(
            applicationScopes: ["app/.default"],
            tenant: "utid",
            environment: "login.microsoftonline.com"
        )
        let text = #"{"token_type":"Bearer","expires_in":3600,"refresh_in":\#(refreshIn),"access_token":"app"}"#
        _ = try cache.acquireApplicationTokenSynchronously(application) {
            .response(try TokenResponse(json: Array(text.utf8)))
        }
        _ = try cache.token(for: query)
        group.clock.advance(by: 1)
        // Somebody changes something, and nobody can tell what.
        store.order { $0.refreshError = StorageError(code) }
        try TestResponse.signIn(clientInfo: ["uid": "somebody", "utid": "else"]).save(in: group.cache())
        let limit = Duration.milliseconds(500)
        let renewed = try cache.renewSynchronously(query, timeout: limit) { _ in
            Issue.record("a token was spent that somebody may have spent already")
            return .unavailable
        }
        let acquired = try cache.acquireApplicationTokenSynchronously(application, timeout: limit) {
            Issue.record("the server was asked although somebody may have the token")
            return .unavailable
        }
        let flags = token == "ageing" ? " renew" : ""
        #expect(try renewed.summary() == "valid at\(flags)")
        #expect(try acquired.summary() == "valid app\(flags)")
        for case .valid(let token) in [renewed, acquired] { #expect(token.staleness?.description == code.rawValue) }
    }

    @Test("a forced renewal waits for a busy store, and gets busy")
    func busyStorePassedOver() throws {
        try TestResponse.signIn().save(in: cache)
        let forced = MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))
        store.order { $0.refreshError = StorageError(.busy) }
        try TestResponse.signIn(clientInfo: ["uid": "somebody", "utid": "else"]).save(in: group.cache())
        let error = #expect(throws: TokenCacheError.self) {
            _ = try cache.renewSynchronously(forced, timeout: .milliseconds(100)) { _ in .unavailable }
        }
        #expect(error?.code == .busy)
    }

    @Test("a closed cache hands nothing out")
    func closed() async throws {
        try TestResponse.signIn().save(in: cache)
        _ = try await cache.token(for: query)
        cache.close()
        let error = await #expect(throws: TokenCacheError.self) {
            _ = try await cache.renew(query) { _ in .unavailable }
        }
        #expect(error?.code == .closed)
    }
}

extension TokenAnswer {
    fileprivate func isValid(at revision: UInt64, _ cache: TokenCache, _ group: TestGroup) -> Bool {
        isValid(at: revision, address: cache.engine.address, now: group.clock.wallClock.now().secondsSince1970)
    }
}

/// Somebody who renews, and counts how often something else went on in its place.
private actor Caller {
    private let cache: TokenCache
    private let executor = CountingExecutor()

    init(_ cache: TokenCache) {
        self.cache = cache
    }

    // SAFETY: the actor owns its executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    func renew(_ query: TokenQuery, times: Int) async throws -> (answer: String, jobCount: Int) {
        try await count(times) { try await self.cache.renew(query) { _ in .unavailable }.summary() }
    }

    func token(for query: TokenQuery, times: Int) async throws -> (answer: String, jobCount: Int) {
        try await count(times) { try await self.cache.token(for: query).summary() }
    }

    func acquire(_ query: TokenQuery, times: Int) async throws -> (answer: String, jobCount: Int) {
        try await count(times) {
            try await self.cache.acquireApplicationToken(query) {
                let text = #"{"token_type":"Bearer","expires_in":3600,"access_token":"app"}"#
                return .response(try TokenResponse(json: Array(text.utf8)))
            }.summary()
        }
    }

    private func count(
        _ times: Int,
        _ body: () async throws -> String
    ) async throws -> (answer: String, jobCount: Int) {
        let before = executor.jobCount
        var answer = ""
        for _ in 1...times { answer = try await body() }
        return (answer, executor.jobCount - before)
    }
}

/// Runs the jobs of an actor on a queue, and counts them.
private final class CountingExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "counting")
    private let count = Atomic<Int>(0)

    var jobCount: Int { count.load(ordering: .relaxed) }

    func enqueue(_ job: consuming ExecutorJob) {
        count.wrappingAdd(1, ordering: .relaxed)
        let job = UnownedJob(job)
        // SAFETY: the job runs once, and the queue holds this object until then.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
