// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Programs
import RecordStorage
import Synchronization
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// What a cache tells its store of the time that there is.
@Suite("Every call")
struct DeadlineTests {
    /// A call, and what it is called.
    struct Call: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (TokenCache) throws -> Void

        init(_ name: String, _ run: @escaping @Sendable (TokenCache) throws -> Void) {
            testDescription = name
            self.run = run
        }

        static let query = TokenQuery(accountID: TestGroup.accountID, scopes: ["user.read"], tenant: "utid")
        static let byName = TokenQuery(username: "nobody@contoso.com", scopes: ["user.read"])

        static let all = [
            Call("a lookup") { _ = try $0.token(for: query) },
            Call("a lookup by name") { _ = try $0.token(for: byName) },
            Call("all accounts") { _ = try $0.accounts(matching: .all) },
            Call("the current account") { _ = try $0.currentAccount() },
            Call("an id token") { _ = try $0.idToken(for: query) },
            Call("a sign-out") { try $0.signOut(accountID: TestGroup.accountID) },
            Call("a wipe") { try $0.wipe(accountID: TestGroup.accountID) },
            Call("a clear") { try $0.clearAll() },
            Call("the last removal") { _ = try $0.lastRemoval() },
            Call("a renewal") { cache in
                _ = try cache.renewSynchronously(query, timeout: .seconds(400)) { _ in .unavailable }
            },
        ]
    }

    @Test("has one deadline, its own, for all that it has to wait for", arguments: Call.all)
    func oneDeadline(call: Call) throws {
        let group = try TestGroup()
        try group.put(.account(), .accessToken())
        let store = WatchedStore(MemoryStore(group.backing))
        let timeout = Duration.seconds(300)
        let cache = try TokenCache(
            store: store,
            unlockedKeys: group.unlockedKeys,
            clientID: TestGroup.client,
            options: TokenCacheOptions(clock: group.clock.wallClock, timeout: timeout)
        )
        let before = Deadline.after(timeout)
        try call.run(cache)
        let after = Deadline.after(timeout)
        let deadlines = store.order { $0.deadlines }
        let first = try #require(deadlines.first)
        #expect(before <= first && first <= after)
        // A renewal looks several times, each time for as long.
        if call.testDescription == "a renewal" {
            #expect(deadlines.allSatisfy { before <= $0 && $0 <= after })
        } else {
            #expect(Set(deadlines).count == 1)
        }
    }

    @Test("of a renewal ends with the renewal's own time, where that is shorter")
    func renewal() throws {
        let group = try TestGroup()
        try group.put(.account(), .accessToken())
        let (store, cache) = try group.watchedCache()
        let before = Deadline.after(.milliseconds(700))
        _ = try cache.renewSynchronously(Call.query, timeout: .milliseconds(700)) { _ in .unavailable }
        let after = Deadline.after(.milliseconds(700))
        let deadlines = store.order { $0.deadlines }
        #expect(!deadlines.isEmpty)
        #expect(deadlines.allSatisfy { before <= $0 && $0 <= after })
    }

    @Test("waits no longer for another thread that lists the accounts than it has time")
    func slowList() throws {
        let group = try TestGroup()
        try group.put(.account(), .accessToken())
        let (store, cache) = try group.watchedCache()
        let engine = cache.engine
        let (isReading, mayGoOn, isOver) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        store.order {
            $0.beforeContents = {
                isReading.signal()
                _ = mayGoOn.wait(timeout: .now() + 60)
            }
        }
        Thread.detachNewThread {
            _ = try? engine.accounts(matching: .all, until: .after(.seconds(60)))
            isOver.signal()
        }
        try isReading.waitForSignal()
        store.order { $0.beforeContents = nil }
        let failure = Mutex<StorageError?>(nil)
        let isRefused = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do throws(StorageError) {
                _ = try engine.accounts(matching: .all, until: .after(.milliseconds(20)))
            } catch {
                failure.withLock { $0 = error }
            }
            isRefused.signal()
        }
        try isRefused.waitForSignal(within: .seconds(20))
        #expect(failure.withLock { $0?.code } == .timeout)
        mayGoOn.signal()
        try isOver.waitForSignal()
        #expect(try cache.accounts(matching: .all).count == 1)
    }
}
