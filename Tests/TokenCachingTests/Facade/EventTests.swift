// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Events of a cache")
struct EventTests {
    /// Keeps what a cache told of.
    private final class Log: Sendable {
        private let events = Mutex<[CacheEvent]>([])

        var hook: @Sendable (CacheEvent) -> Void {
            { event in self.events.withLock { $0.append(event) } }
        }

        /// The events since this was asked last.
        func take() -> [CacheEvent] {
            events.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }

    private let log = Log()
    private let folder: FileCacheTests.Folder
    private let cache: TokenCache
    private let query = MatchingCase.query("user.read")

    init() throws {
        folder = try FileCacheTests.Folder()
        cache = try TokenCache(
            group: "tests",
            clientID: TestGroup.client,
            root: folder.path,
            options: TokenCacheOptions(clock: TestClock().wallClock, onEvent: log.hook)
        )
    }

    private func kinds() -> [CacheEvent.Kind] { log.take().map(\.kind) }

    @Test("each call that did some work is reported once, by its kind")
    func everyKind() async throws {
        #expect(kinds() == [.open])
        let account = try #require(try TestResponse.signIn().save(in: cache))
        #expect(kinds() == [.save])
        _ = try? await cache.renew(MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))) {
            _ in
            .unavailable
        }
        #expect(kinds() == [.renew])
        let application = TokenQuery(
            applicationScopes: ["app/.default"],
            tenant: "utid",
            environment: "login.microsoftonline.com"
        )
        _ = try? await cache.acquireApplicationToken(application) { .unavailable }
        #expect(kinds() == [.acquireApplicationToken])
        _ = try await cache.currentAccount()
        #expect(kinds() == [.currentAccount])
        try await cache.signOut(account)
        #expect(kinds() == [.signOut])
        try await cache.wipe(accountID: account.id)
        #expect(kinds() == [.wipe])
        try await cache.clearAll()
        #expect(kinds() == [.clearAll])
    }

    @Test("a refusal that is noted is reported as an event")
    func refusals() throws {
        try TestResponse.signIn(accessToken: nil).save(in: cache)
        guard case .renew(let token, _) = try cache.token(for: query) else { throw Unexpected() }
        _ = log.take()
        try cache.noteRefusal(of: token, response: TokenErrorResponse(error: "invalid_grant"))
        #expect(kinds() == [.noteRefusal])
    }

    @Test("lookups, lists and renewals of good tokens make no events")
    func lookups() async throws {
        try TestResponse.signIn().save(in: cache)
        _ = log.take()
        _ = try await cache.token(for: query)
        _ = try await cache.accounts()
        _ = try await cache.renew(query) { _ in .unavailable }
        #expect(log.take().isEmpty)
    }

    @Test("a call that throws is reported with its error code")
    func failures() throws {
        _ = log.take()
        cache.close()
        #expect(throws: TokenCacheError.self) { try cache.clearAll() }
        let event = try #require(log.take().first)
        #expect(event.kind == .clearAll && event.errorCode == .closed)
        #expect(event.description.hasPrefix("clearAll failed: closed ("))
        let options = TokenCacheOptions(onEvent: log.hook)
        #expect(throws: TokenCacheError.self) {
            _ = try TokenCache(group: "a/b", clientID: "client-a", root: folder.path, options: options)
        }
        #expect(log.take().map(\.errorCode) == [.invalidName])
    }

    @Test("operations that took time report how much")
    func duration() throws {
        #expect(try #require(log.take().first).duration > .zero)
    }

    @Test("no event shows a token, a person, an application or a path")
    func silence() throws {
        let account = try #require(
            try TestResponse.signIn(accessToken: "TOP-SECRET-1", refreshToken: "TOP-SECRET-2").save(in: cache)
        )
        try cache.signOut(account)
        let events = log.take()
        #expect(events.count == 3)
        for event in events {
            var dumped = ""
            dump(event, to: &dumped)
            for word in ["TOP-SECRET", "contoso", "uid.utid", "client-a", "User.Read", "tests", folder.path] {
                #expect(!dumped.contains(word) && !event.description.contains(word))
            }
        }
    }
}
