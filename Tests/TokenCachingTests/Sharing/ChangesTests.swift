// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import Programs
import RecordStorage
import Synchronization
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Changes of a group are reported as they happen", .timeLimit(.minutes(10)))
struct ChangesTests {
    /// An iterator that has begun: nothing that is saved from now on is missed.
    private func follow(_ cache: TokenCache) async throws -> TokenCacheChanges.Iterator {
        var changes = cache.changes().makeAsyncIterator()
        try await changes.begin()
        return changes
    }

    /// The next changes, until `count` came.
    private func take(
        _ count: Int,
        _ changes: inout TokenCacheChanges.Iterator
    ) async throws -> [String] {
        var told: [String] = []
        while told.count < count, let change = try await changes.next() {
            told.append("\(change.action.rawValue) \(change.kind)")
        }
        return told
    }

    @Test("a save by another process is reported entry by entry, with its accounts", .timeLimit(.minutes(10)))
    func added() async throws {
        let group = try TestGroup()
        let cache = try group.cache()
        var changes = try await follow(cache)
        try TestResponse.signIn().save(in: try group.cache(client: "other-app"))
        let first = try #require(try await changes.next())
        // What is said of the application is of no account.
        #expect(first.accountID == (first.kind.name == "AppMetadata" ? nil : TestGroup.accountID))
        #expect(first.clientID == "other-app")
        let told = try await take(4, &changes)
        #expect(
            Set(told + ["\(first.action.rawValue) \(first.kind)"])
                == ["added AccessToken", "added RefreshToken", "added IdToken", "added Account", "added AppMetadata"]
        )
    }

    @Test("own changes are reported like others, and as replaced and removed", .timeLimit(.minutes(10)))
    func own() async throws {
        let group = try TestGroup()
        let cache = try group.cache()
        let account = try #require(try TestResponse.signIn().save(in: cache))
        var changes = try await follow(cache)
        try TestResponse.signIn(accessToken: "new").save(in: cache)
        let replaced = try await take(3, &changes)
        #expect(Set(replaced) == ["replaced AccessToken", "replaced RefreshToken", "replaced IdToken"])
        try await cache.signOut(account)
        let removed = try await take(3, &changes)
        #expect(Set(removed) == ["removed AccessToken", "removed RefreshToken", "removed IdToken"])
    }

    @Test("changes before an iterator started are not reported", .timeLimit(.minutes(10)))
    func before() async throws {
        let group = try TestGroup()
        let cache = try group.cache()
        var changes = cache.changes().makeAsyncIterator()
        try TestResponse.signIn().save(in: cache)
        try await changes.begin()
        try group.put(.accessToken("late", client: "x"))
        let change = try #require(try await changes.next())
        #expect(change.clientID == "x")
    }

    @Test("successive unread changes are merged", .timeLimit(.minutes(10)))
    func merged() async throws {
        let group = try TestGroup()
        let cache = try group.cache()
        var changes = try await follow(cache)
        let entry = TestEntry.accessToken("a", client: "x").under("k")
        for _ in 0..<50 {
            try group.put(entry)
            try group.remove(entry)
        }
        try group.put(.accessToken("b", client: "y"))
        let change = try #require(try await changes.next())
        #expect(change.clientID == "y")
    }

    @Test("a sequence ends when its cache is closed", .timeLimit(.minutes(10)))
    func closed() async throws {
        let cache = try TestGroup().cache()
        Task {
            try await untilTrue("somebody waits for changes") { cache.isAskedForChanges }
            cache.close()
        }
        for try await _ in cache.changes() { Issue.record("nothing changed") }
    }

    @Test("iteration opens the group and throws its error; then the sequence has ended")
    func late() async throws {
        let cache = try TestGroup().cache()
        let sequence = cache.changes()
        #expect(cache.engine.feeds.withLock { $0.isEmpty })
        cache.close()
        var changes = sequence.makeAsyncIterator()
        do throws(TokenCacheError) {
            _ = try await changes.next()
            Issue.record("a cache that is closed told changes")
        } catch {
            #expect(error.code == .closed)
        }
        #expect(try await changes.next() == nil)
    }

    @Test("each iterator receives every change", .timeLimit(.minutes(10)))
    func independent() async throws {
        let group = try TestGroup()
        let cache = try group.cache()
        let sequence = cache.changes()
        var (first, second) = (sequence.makeAsyncIterator(), sequence.makeAsyncIterator())
        try await first.begin()
        try await second.begin()
        try group.put(.accessToken("a", client: "x"))
        #expect(try await first.next()?.clientID == "x")
        #expect(try await second.next()?.clientID == "x")
    }

    @Test("a task that was cancelled before it began gets no change and no error", .timeLimit(.minutes(10)))
    func cancelledBefore() async throws {
        let cache = try TestGroup().cache()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            var changes = cache.changes().makeAsyncIterator()
            return try await changes.next() == nil
        }
        task.cancel()
        #expect(try await task.value)
    }

    @Test("a task that is cancelled stops waiting", .timeLimit(.minutes(10)))
    func cancelled() async throws {
        let cache = try TestGroup().cache()
        let task = Task {
            for try await _ in cache.changes() {}
            return true
        }
        try await untilTrue("somebody waits for changes") { cache.isAskedForChanges }
        task.cancel()
        #expect(try await task.value)
    }

    @Test("no change is missed while others commit, and compaction changes nothing", .timeLimit(.minutes(10)))
    func complete() throws {
        let fixture = GroupFixture()
        let group = try fixture.create()
        let writer = try fixture.open()
        let feed = try ChangeFeed(group.store, codec: group.codec, timeout: .seconds(20))
        let count = 200
        let failure = Mutex<(any Error)?>(nil)
        // A thread of its own: as a task it might never get one beside others that block theirs.
        Thread.detachNewThread {
            do {
                for number in 0..<count {
                    try writer.put(TestEntry.accessToken("t", account: "a\(number).t").under("k\(number)"))
                    if number % 50 == 25 { try writer.fileStore?.compact(until: .after(.seconds(20))) }
                }
            } catch {
                failure.withLock { $0 = error }
                feed.stop()
            }
        }
        var seen: Set<String> = []
        while seen.count < count, let changes = try feed.next() {
            for change in changes {
                #expect(change.action == .added)
                seen.insert(change.accountID?.text ?? "")
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
        feed.stop()
        #expect(try feed.next() == nil)
    }

    @Test("changes reveal nothing in logs")
    func silence() {
        let change = CacheChange(.added, kind: .accessToken, entry: nil)
        #expect("\(change)" == "CacheChange(added AccessToken)")
        #expect(Mirror(reflecting: change).children.isEmpty)
    }
}

extension OpenedGroup {
    /// Stores an entry as an import would.
    fileprivate func put(_ entry: TestEntry) throws {
        try store.commit(until: .after(.seconds(20))) { (context, batch) throws(StorageError) in
            do {
                try batch.put(try entry.sealed(by: codec, in: context))
            } catch {
                throw error as? StorageError ?? StorageError(.cancelled)
            }
        }
    }
}

extension TokenCache {
    fileprivate var isAskedForChanges: Bool { engine.feeds.withLock { $0.contains { $0.feed?.isAsked == true } } }
}
