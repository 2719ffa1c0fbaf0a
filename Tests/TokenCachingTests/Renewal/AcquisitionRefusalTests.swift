// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Refusals of application tokens", .timeLimit(.minutes(10)))
struct AcquisitionRefusalTests {
    let group: TestGroup

    init() throws { group = try TestGroup() }

    private static func query(_ options: TokenQueryOptions = TokenQueryOptions(), scope: String = "a/.default")
        -> TokenQuery
    {
        TokenQuery(
            applicationScopes: [scope],
            tenant: "utid",
            environment: "login.microsoftonline.com",
            options: options
        )
    }

    private static let wrongSecret = TokenErrorResponse(error: "invalid_client")

    private static func granted() throws -> RenewalOutcome {
        .response(
            try TokenResponse(json: Array(#"{"token_type":"Bearer","expires_in":3600,"access_token":"app"}"#.utf8))
        )
    }

    private func acquire(_ query: TokenQuery, _ outcome: RenewalOutcome) throws -> String {
        try group.cache().acquireApplicationTokenSynchronously(query) { outcome }.summary()
    }

    private func unasked(_ query: TokenQuery) throws -> TokenResult {
        try group.cache().acquireApplicationTokenSynchronously(query) {
            Issue.record("the server was asked")
            return .unavailable
        }
    }

    private func isAsked(_ query: TokenQuery) throws -> Bool {
        var isAsked = false
        _ = try? group.cache().acquireApplicationTokenSynchronously(query) {
            isAsked = true
            return .unavailable
        }
        return isAsked
    }

    @Test("of twenty with a wrong secret, one sends a request, and all get the server's answer")
    func shared() async throws {
        let count = Counter()
        let tasks = try (0..<20).map { _ in
            let cache = try group.cache()
            return Task {
                try await cache.acquireApplicationToken(Self.query()) {
                    _ = count.next()
                    return .refused(Self.wrongSecret)
                }
            }
        }
        for task in tasks {
            guard case .interactionRequired(let told) = try await task.value else { throw Unexpected() }
            #expect(told.reason == .applicationTokenMissing && told.errorResponse == Self.wrongSecret)
        }
        #expect(count.value == 1)
    }

    @Test("after two minutes the server is asked")
    func twoMinutes() throws {
        #expect(try acquire(Self.query(), .refused(Self.wrongSecret)) == "interaction applicationTokenMissing")
        group.clock.advance(by: 119)
        #expect(try unasked(Self.query()).summary() == "interaction applicationTokenMissing")
        group.clock.advance(by: 1)
        #expect(try acquire(Self.query(), Self.granted()) == "valid app")
    }

    @Test("whatever cannot be read for a moment is read again", arguments: [StorageError.Code.busy, .timeout])
    func shortlyUnreadable(code: StorageError.Code) throws {
        #expect(try acquire(Self.query(), .refused(Self.wrongSecret)) == "interaction applicationTokenMissing")
        func readings(failing number: Int?) throws -> Int {
            let store = WatchedStore(MemoryStore(group.backing))
            store.order { $0.contentsErrors = number.map { [$0: StorageError(code)] } ?? [:] }
            let result = try group.cache(store: store).acquireApplicationTokenSynchronously(Self.query()) {
                Issue.record("the server was asked")
                return .unavailable
            }
            #expect(try result.summary() == "interaction applicationTokenMissing")
            return store.order { $0.contentsCount }
        }
        let count = try readings(failing: nil)
        #expect(count >= 3)
        for number in 1...count { #expect(try readings(failing: number) > count) }
    }

    @Test("a different request, and a forced one, is sent", arguments: ["scope", "claims", "forced"])
    func otherwise(difference: String) throws {
        #expect(try acquire(Self.query(), .refused(Self.wrongSecret)) == "interaction applicationTokenMissing")
        #expect(try unasked(Self.query()).summary() == "interaction applicationTokenMissing")
        let options = TokenQueryOptions(
            forceRefresh: difference == "forced",
            claimsChallenge: difference == "claims" ? #"{"a":1}"# : nil
        )
        let asked = Self.query(options, scope: difference == "scope" ? "b/.default" : "a/.default")
        #expect(try isAsked(asked))
        #expect(try acquire(asked, Self.granted()) == "valid app")
    }

    @Test("a token that came after a forced request leaves no note")
    func corrected() throws {
        #expect(try acquire(Self.query(), .refused(Self.wrongSecret)) == "interaction applicationTokenMissing")
        #expect(try acquire(Self.query(TokenQueryOptions(forceRefresh: true)), Self.granted()) == "valid app")
        for entry in try group.entries() { try group.remove(entry) }
        #expect(try isAsked(Self.query()))
    }

    @Test("a token that only ages is handed out as it is")
    func ageing() throws {
        let text = #"{"token_type":"Bearer","expires_in":3600,"refresh_in":1,"access_token":"app"}"#
        #expect(try acquire(Self.query(), .response(TokenResponse(json: Array(text.utf8)))) == "valid app")
        group.clock.advance(by: 1)
        #expect(try acquire(Self.query(), .refused(Self.wrongSecret)) == "valid app renew")
        #expect(try unasked(Self.query()).summary() == "valid app renew")
    }
}
