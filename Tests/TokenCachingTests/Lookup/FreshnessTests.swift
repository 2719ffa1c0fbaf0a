// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RecordStorage
import Synchronization
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Lookups are fresh, and say so when they cannot be")
struct FreshnessTests {
    let group: TestGroup
    let store: WatchedStore
    let cache: TokenCache
    let query = MatchingCase.query("user.read")

    init() throws {
        group = try TestGroup()
        (store, cache) = try group.watchedCache()
    }

    private func token() throws -> AccessToken {
        guard case .valid(let token) = try cache.token(for: query) else { throw Unexpected() }
        return token
    }

    @Test("repeated lookups do not touch the store")
    func noCalls() throws {
        try group.put(.accessToken())
        _ = try token()
        let before = store.order { ($0.refreshCount, $0.contentsCount) }
        for _ in 1...1000 { _ = try token() }
        #expect(store.order { ($0.refreshCount, $0.contentsCount) } == before)
    }

    @Test("a new query for an account in use reads nothing")
    func noReading() throws {
        try group.put(.accessToken())
        _ = try token()
        let before = store.order { $0.contentsCount }
        #expect(try cache.token(for: MatchingCase.query("mail.read")).summary() == "valid at")
        #expect(store.order { $0.contentsCount } == before)
    }

    @Test("after a change by another process, only changed records are read again")
    func readsWhatChanged() throws {
        try group.put(.accessToken(), .accessToken("b", account: "x.y"))
        let other = MatchingCase.query("user.read", account: "x.y", tenant: "utid")
        _ = try (token(), cache.token(for: other))
        let before = store.order { $0.contentsCount }
        try group.put(TestEntry.accessToken("c", account: "x.y", expiresOn: TestEntry.start + 5000).under("new"))
        _ = try token()
        #expect(store.order { $0.contentsCount } == before)
        #expect(try cache.token(for: other).summary() == "valid c")
        #expect(store.order { $0.contentsCount } == before + 1)
    }

    @Test("a busy store does not withhold a valid token", arguments: [StorageError.Code.busy, .timeout])
    func stale(code: StorageError.Code) throws {
        try group.put(.accessToken("old").under("k"))
        #expect(try token().staleness == nil)
        store.order { $0.refreshError = StorageError(code) }
        try group.put(.accessToken("new").under("k"))
        #expect(try token().staleness?.description == code.rawValue)
    }

    @Test("a busy store is not reported as a missing token")
    func staleMiss() throws {
        let query = MatchingCase.query("other.scope")
        _ = try cache.token(for: query)
        store.order { $0.refreshError = StorageError(.busy) }
        try group.put(.accessToken("new", scopes: "other.scope"))
        let error = #expect(throws: TokenCacheError.self) { try cache.token(for: query) }
        #expect(error?.code == .busy)
    }

    @Test("a refresh that failed is tried again in the background, at most once a second")
    func retry() async throws {
        try group.put(.accessToken("old").under("k"))
        _ = try token()
        store.order { $0.refreshError = StorageError(.busy) }
        try group.put(.accessToken("new").under("k"))
        let before = store.order { $0.refreshCount }
        let start = ContinuousClock.now
        for _ in 1...100 { #expect(try token().staleness != nil) }
        #expect((1...1 + seconds(since: start)).contains(store.order { $0.refreshCount } - before))
        store.order { $0.refreshError = nil }
        var answer = try token()
        for _ in 1...300 where answer.staleness != nil {
            try await Task.sleep(for: .milliseconds(10))
            answer = try token()
        }
        #expect(answer.staleness == nil)
        #expect(try answer.secretString == "new")
        #expect(store.order { $0.refreshCount } <= before + 2 + seconds(since: start))
    }

    /// Seconds that have begun: what a busy machine takes for the same calls is no failure.
    private func seconds(since start: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - start) / .seconds(1)) + 1
    }

    @Test("damage is thrown, not papered over")
    func damaged() throws {
        try group.put(.accessToken())
        _ = try token()
        store.order { $0.refreshError = StorageError(.damaged) }
        try group.put(.accessToken("b", account: "x.y"))
        let error = #expect(throws: TokenCacheError.self) { try token() }
        #expect(error?.code == .damaged)
    }

    @Test("a change that moved no word is noticed by the probe, at most a quarter of a second later")
    func probe() async throws {
        try group.put(.accessToken())
        _ = try token()
        let before = store.order { orders in
            orders.hasMoved = true
            return orders.refreshCount
        }
        for _ in 1...100 where store.order({ $0.refreshCount }) == before {
            try await Task.sleep(for: .milliseconds(10))
            _ = try token()
        }
        #expect(store.order { $0.refreshCount } == before + 1)
    }

    @Test("probes are paced")
    func probePace() throws {
        try group.put(.accessToken())
        let start = ContinuousClock.now
        for _ in 1...10_000 { _ = try token() }
        // Four a second.
        #expect(store.order { $0.probeCount } <= 4 * seconds(since: start) + 1)
    }

    @Test("a change whose fate is unknown makes everything be read again")
    func indeterminate() throws {
        try group.put(.accessToken("old").under("k"))
        _ = try token()
        store.order { $0.commitError = StorageError(.indeterminate) }
        let error = #expect(throws: TokenCacheError.self) {
            try TestResponse.signIn(accessToken: "new").save(in: cache)
        }
        #expect(error?.code == .indeterminate)
        store.order { $0.commitError = nil }
        #expect(try token().secretString == "new")
    }

    @Test("a lookup during a transaction of its process sees entries that others stored before it")
    func duringOwnTransaction() throws {
        try group.put(.accessToken("old").under("k"))
        _ = try token()
        try group.put(.accessToken("new", expiresOn: TestEntry.start + 3500).under("k"))
        let seen = Mutex("")
        let (cache, query) = (cache, query)
        store.order { orders in
            // The store has told this transaction of the change; the engine has not noted it yet.
            orders.beforeBody = {
                let text = try? cache.token(for: query).summary()
                seen.withLock { $0 = text ?? "failed" }
            }
        }
        try TestResponse.signIn(scope: "other").save(in: cache)
        #expect(seen.withLock { $0 } == "valid new")
        store.order { $0.beforeBody = nil }
        #expect(try cache.token(for: query).summary() == "valid new")
    }

    @Test("entries read while a save becomes durable stay cached, except those that it changes")
    func duringSlowCommit() throws {
        let other = "x.y"
        try group.put(.accessToken(), .accessToken("theirs", account: other))
        _ = try token()
        let seen = Mutex<[Int]>([])
        let (cache, store) = (cache, store)
        store.order { orders in
            orders.afterCommit = {
                for account in [other, other, TestGroup.account, TestGroup.account] {
                    let before = store.order { $0.contentsCount }
                    _ = try? cache.token(for: MatchingCase.query("user.read", account: account, tenant: "utid"))
                    seen.withLock { $0.append(store.order { $0.contentsCount } - before) }
                }
            }
        }
        try TestResponse.signIn(accessToken: "new").save(in: cache)
        #expect(seen.withLock { $0 } == [1, 0, 1, 1])
        #expect(try token().secretString == "new")
    }

    @Test("saves of one cache queue, and one that gets no turn in time is busy", .timeLimit(.minutes(10)))
    func queue() throws {
        let options = TokenCacheOptions(clock: group.clock.wallClock, timeout: .milliseconds(50))
        let cache = try TokenCache(
            store: store,
            unlockedKeys: group.unlockedKeys,
            clientID: TestGroup.client,
            options: options
        )
        let seen = Mutex<TokenCacheError.Code?>(nil)
        store.order { orders in
            orders.afterCommit = {
                do { try TestResponse.signIn().save(in: cache) } catch {
                    seen.withLock { $0 = (error as? TokenCacheError)?.code }
                }
            }
        }
        try TestResponse.signIn().save(in: cache)
        #expect(seen.withLock { $0 } == .busy)
    }

    @Test("a lookup that answers while a save waits does not cache entries that the save replaces")
    func afterOwnTransaction() throws {
        let (cache, query) = (cache, query)
        store.order { $0.beforeBody = { _ = try? cache.token(for: query) } }
        for round in 1...20 {
            try TestResponse.signIn(accessToken: "\(round)").save(in: cache)
            #expect(try cache.token(for: query).summary() == "valid \(round)")
        }
    }

    @Test(
        "many threads that look up while others save always get a token that was stored, never an older one than before",
        arguments: [false, true]
    )
    func manyThreads(byName: Bool) async throws {
        try TestResponse.signIn(accessToken: "0").save(in: cache)
        let last = SharedNumber()
        let (group, cache) = (group, cache)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                for round in 1...200 {
                    try TestResponse.signIn(accessToken: "\(round)").save(in: round % 2 == 0 ? cache : group.cache())
                    last.value = round
                }
            }
            for _ in 1...3 {
                let id = MatchingCase.query("user.read")
                let name = TokenQuery(username: "ann@contoso.com", scopes: ["user.read"], tenant: "utid")
                tasks.addTask {
                    let query = byName ? name : id
                    var isDone = false
                    while !isDone {
                        let atLeast = last.value
                        isDone = atLeast == 200
                        guard case .valid(let token) = try cache.token(for: query) else { throw Unexpected() }
                        let text = try token.secretString
                        #expect(Int(text) ?? -1 >= atLeast)
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }

    @Test("one query shared by many threads keeps its answers apart from their ends")
    func sharedQuery() async throws {
        try TestResponse.signIn(accessToken: "0").save(in: cache)
        let (cache, query) = (cache, query)
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 1...3 {
                tasks.addTask { for _ in 1...20_000 { _ = try? cache.token(for: query) } }
            }
            tasks.addTask {
                for round in 1...100 { _ = try? TestResponse.signIn(accessToken: "\(round)").save(in: cache) }
            }
        }
        #expect(try await cache.token(for: query).summary() == "valid 100")
    }
}

/// A number that threads share.
private final class SharedNumber: Sendable {
    private let number = Mutex(0)

    var value: Int {
        get { number.withLock { $0 } }
        set { number.withLock { $0 = newValue } }
    }
}
