// SPDX-License-Identifier: Apache-2.0

import Programs
import RecordStorage
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("The server's error reaches the caller", .timeLimit(.minutes(10)))
struct ServerWordTests {
    let group: TestGroup
    let cache: TokenCache
    let query = MatchingCase.query("user.read")

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
        try TestResponse.signIn().with("access_token", nil).save(in: cache)
    }

    private func renew(
        _ status: Int,
        _ body: String,
        retryAfter: String? = nil
    ) throws(TokenCacheError) -> TokenResult {
        try cache.renewSynchronously(query) { _ in
            try .httpResponse(status: status, body: Array(body.utf8), retryAfter: retryAfter)
        }
    }

    private func response(_ result: TokenResult) throws -> TokenErrorResponse {
        guard case .interactionRequired(let told) = result else { throw Unexpected() }
        return try #require(told.errorResponse)
    }

    @Test("a refusal that requires the user comes with the claims to request and the ids for support")
    func refused() throws {
        let body = """
            {"error":"interaction_required","suberror":"basic_action","error_codes":[50076],"claims":"{}",\
            "correlation_id":"c","trace_id":"t","error_description":"secret"}
            """
        let decision = try renew(400, body)
        #expect(try decision.summary() == "interaction renewalRefused")
        let said = try response(decision)
        #expect(said.error == "interaction_required" && said.suberror == "basic_action" && said.claims == "{}")
        #expect(said.errorCodes == [50076] && said.correlationID == "c" && said.traceID == "t" && said.status == 400)
    }

    @Test("a dead token does, too")
    func dead() throws {
        let decision = try renew(400, #"{"error":"invalid_grant","suberror":"bad_token","error_codes":[50173]}"#)
        #expect(try decision.summary() == "interaction refreshTokenLost")
        #expect(try response(decision).errorCodes == [50173])
    }

    @Test("the other tasks of the process that wait for a dead token hear of it, too; other processes that it is lost")
    func deadWaiters() async throws {
        var said = TokenErrorResponse(error: "invalid_grant", suberror: "bad_token")
        said.errorCodes = [700_082]
        said.correlationID = "c"
        try await waiters(for: said, "interaction refreshTokenLost")
    }

    @Test("so do those that wait for the token of an account that was deleted")
    func deletedWaiters() async throws {
        let said = TokenErrorResponse(error: "invalid_grant", suberror: "user_account_deleted")
        try await waiters(for: said, "interaction signedOut")
    }

    private func waiters(for said: TokenErrorResponse, _ summary: String) async throws {
        let stores = (0..<2).map { _ in WatchedStore(MemoryStore(group.backing)) }
        let (own, other) = (try group.cache(store: stores[0]), try group.cache(store: stores[1]))
        let query = query
        @Sendable func wait(in cache: TokenCache) -> Task<TokenResult, any Error> {
            Task {
                try await cache.renew(query) { _ in
                    Issue.record("a dead token is spent")
                    return .unavailable
                }
            }
        }
        var waiting: [Task<TokenResult, any Error>] = []
        let first = try await own.renew(query) { _ in
            waiting = [wait(in: own), wait(in: other)]
            // The first one's own attempt, and that of whoever waits beside it.
            try await untilTrue("one waits here") { stores[0].order { $0.leaseCount } >= 2 }
            try await untilTrue("another waits elsewhere") { stores[1].order { $0.leaseCount } >= 1 }
            return .refused(said)
        }
        #expect(try first.summary() == summary)
        #expect(try response(first) == said)
        let beside = try await waiting[0].value
        #expect(try beside.summary() == summary)
        #expect(try response(beside) == said)
        let elsewhere = try await waiting[1].value
        #expect(try elsewhere.summary() == summary)
        guard case .interactionRequired(let told) = elsewhere else { throw Unexpected() }
        #expect(told.errorResponse == nil)
    }

    @Test("of many dead tokens the words about the latest are kept")
    func lastResponses() {
        var responses = LastResponses()
        for number in 0..<100 as Range<UInt64> { responses.keep(TokenErrorResponse(error: "\(number)"), of: number) }
        responses.keep(TokenErrorResponse(error: "again"), of: 40)
        #expect((0..<100).filter { responses[$0] != nil } == Array(36..<100))
        #expect(responses[40]?.error == "again")
    }

    @Test("a server in trouble says for how long in the error")
    func unavailable() throws {
        let error = #expect(throws: TokenCacheError.self) {
            _ = try renew(503, #"{"error":"temporarily_unavailable"}"#, retryAfter: "17")
        }
        #expect(error?.code == .renewalUnavailable)
        #expect(error?.errorResponse?.retryAfter == .seconds(17) && error?.errorResponse?.status == 503)
        #expect(error?.errorResponse?.error == "temporarily_unavailable")
    }

    @Test("one that cannot be reached says nothing")
    func unreachable() throws {
        let error = #expect(throws: TokenCacheError.self) {
            _ = try cache.renewSynchronously(query) { _ in .unavailable }
        }
        #expect(error?.code == .renewalUnavailable && error?.errorResponse == nil)
    }

    @Test("a refusal of the application itself says why")
    func application() throws {
        let query = TokenQuery(
            applicationScopes: ["a/.default"],
            tenant: "utid",
            environment: "login.microsoftonline.com"
        )
        let decision = try cache.acquireApplicationTokenSynchronously(query) {
            .refused(TokenErrorResponse(error: "invalid_client"))
        }
        #expect(try decision.summary() == "interaction applicationTokenMissing")
        #expect(try response(decision).error == "invalid_client")
    }

    @Test("a refused challenge does not get the token that the resource refused")
    func challenge() throws {
        try TestResponse.signIn(accessToken: "good").save(in: cache)
        for options in [TokenQueryOptions(claimsChallenge: #"{"a":1}"#), TokenQueryOptions(forceRefresh: true)] {
            let decision = try cache.renewSynchronously(MatchingCase.query("user.read", options: options)) { _ in
                .refused(error: "interaction_required")
            }
            #expect(try decision.summary() == "interaction renewalRefused")
        }
    }

    @Test("a server's answer does not appear in logs")
    func logs() {
        let response = TokenErrorResponse(error: "canary")
        let said = InteractionRequired(reason: .renewalRefused, errorResponse: response)
        #expect(said.errorResponse == response)
        var text = "\(said)"
        dump(said, to: &text)
        #expect(!text.contains("canary"))
    }
}
