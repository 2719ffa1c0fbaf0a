// SPDX-License-Identifier: Apache-2.0

import Programs
import RecordStorage
import Synchronization
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Asking once for a token of the application itself", .timeLimit(.minutes(10)))
struct AcquireTests {
    let group: TestGroup
    let cache: TokenCache
    let query = AcquireTests.query()

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private static func query(
        _ scope: String = "https://graph.contoso.com/.default",
        tenant: String = "utid",
        environment: String? = "login.microsoftonline.com",
        options: TokenQueryOptions = TokenQueryOptions()
    ) -> TokenQuery {
        TokenQuery(applicationScopes: [scope], tenant: tenant, environment: environment, options: options)
    }

    private static func granted(_ token: String, lifetime: Int = 3600) throws -> RenewalOutcome {
        let text = #"{"token_type":"Bearer","expires_in":\#(lifetime),"access_token":"\#(token)"}"#
        return .response(try TokenResponse(json: Array(text.utf8)))
    }

    @Test("a missing token is requested and stored, and a valid one is returned")
    func acquired() async throws {
        let first = try await cache.acquireApplicationToken(query) { try Self.granted("app") }
        #expect(try first.summary() == "valid app")
        let second = try await group.cache().acquireApplicationToken(query) {
            Issue.record("nothing was to be asked for")
            return .unavailable
        }
        #expect(try second.summary() == "valid app")
        #expect(try await group.cache().token(for: query).summary() == "valid app")
    }

    @Test("of many tasks and caches that want the same token one asks the server", .timeLimit(.minutes(10)))
    func shared() async throws {
        let caches = try (0..<4).map { _ in try group.cache() }
        let count = Counter()
        let tasks = (0..<24).map { number in
            Task {
                // Other names of the same cloud, the same scope otherwise spelled: the same token.
                let host = number % 2 == 0 ? "login.microsoftonline.com" : "LOGIN.windows.net"
                let query = Self.query("https://graph.contoso.com/.Default", tenant: "UTID", environment: host)
                let decision = try await caches[number % 4].acquireApplicationToken(query) {
                    _ = count.next()
                    try await Task.sleep(for: .milliseconds(50))
                    return try Self.granted("app")
                }
                return try decision.summary()
            }
        }
        for task in tasks {
            let answer = try await task.value
            #expect(answer == "valid app")
        }
        #expect(count.value == 1)
    }

    @Test("a request for another token does not wait", arguments: ["client", "tenant", "scope", "type", "claims"])
    func apart(what: String) throws {
        let other = try group.cache(client: what == "client" ? "client-b" : TestGroup.client)
        let options = TokenQueryOptions(
            tokenType: what == "type" ? "pop" : nil,
            claimsChallenge: what == "claims" ? #"{"a":1}"# : nil
        )
        let wanted = Self.query(
            what == "scope" ? "other/.default" : "https://graph.contoso.com/.default",
            tenant: what == "tenant" ? "other" : "utid",
            options: options
        )
        let decision = try cache.acquireApplicationTokenSynchronously(query) {
            let inner = try other.acquireApplicationTokenSynchronously(wanted, timeout: .zero) {
                .refused(error: "invalid_scope")
            }
            #expect(try inner.summary() == "interaction applicationTokenMissing")
            return try Self.granted("app")
        }
        #expect(try decision.summary() == "valid app")
    }

    @Test("a caller that waits longer than allowed gets timeout, and sends nothing", .timeLimit(.minutes(10)))
    func busy() throws {
        let other = try group.cache()
        _ = try cache.acquireApplicationTokenSynchronously(query) {
            let error = #expect(throws: TokenCacheError.self) {
                _ = try other.acquireApplicationTokenSynchronously(query, timeout: .milliseconds(30)) {
                    Issue.record("the lease is held")
                    return .unavailable
                }
            }
            #expect(error?.code == .renewalBusy)
            return try Self.granted("app")
        }
    }

    @Test("a refusal, an unreachable server and an error keep the stored token, and the next caller may try")
    func failed() async throws {
        let refused = try await cache.acquireApplicationToken(query) { .refused(error: "invalid_client") }
        #expect(try refused.summary() == "interaction applicationTokenMissing")
        group.clock.advance(by: 120)
        let unavailable = await #expect(throws: TokenCacheError.self) {
            _ = try await cache.acquireApplicationToken(query) { .unavailable }
        }
        #expect(unavailable?.code == .renewalUnavailable)
        let error = await #expect(throws: TokenCacheError.self) {
            _ = try await cache.acquireApplicationToken(query) { throw TokenCacheError(.timeout) }
        }
        #expect(error?.code == .renewalFailed)
        let next = try await cache.acquireApplicationToken(query) { try Self.granted("app") }
        #expect(try next.summary() == "valid app")
    }

    @Test(
        "a forced request replaces the valid token, and takes one that others got meanwhile",
        .timeLimit(.minutes(10))
    )
    func forced() async throws {
        _ = try await cache.acquireApplicationToken(query) { try Self.granted("old") }
        let forced = Self.query(options: TokenQueryOptions(forceRefresh: true))
        let (store, other) = try group.watchedCache()
        let running = Mutex<Task<String, any Error>?>(nil)
        let decision = try await cache.acquireApplicationToken(forced) {
            let task = Task {
                try await other.acquireApplicationToken(forced) {
                    Issue.record("the new token was to do")
                    return .unavailable
                }.summary()
            }
            running.withLock { $0 = task }
            // Not before the other one has looked, and found the lease taken.
            try await untilTrue("the other one waits") { store.order { $0.leaseCount } >= 1 }
            return try Self.granted("new")
        }
        #expect(try decision.summary() == "valid new")
        let answer = try await running.withLock { $0 }?.value
        #expect(answer == "valid new")
    }

    @Test("a query that says nothing of the server, or is of an account, is refused")
    func improper() throws {
        for query in [Self.query(environment: nil), MatchingCase.query("user.read"), Self.query("")] {
            let error = #expect(throws: TokenCacheError.self) {
                _ = try cache.acquireApplicationTokenSynchronously(query) { .unavailable }
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("if the server grants something else, that is reported and not requested again")
    func lessThanAskedFor() throws {
        let text = #"{"token_type":"Bearer","expires_in":3600,"access_token":"x","scope":"something.else"}"#
        let decision = try cache.acquireApplicationTokenSynchronously(query) {
            .response(try TokenResponse(json: Array(text.utf8)))
        }
        #expect(try decision.summary() == "declined https://graph.contoso.com/.default with x")
    }
}
