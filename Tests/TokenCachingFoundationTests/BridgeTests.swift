// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TokenCaching
import TokenCachingFoundation

@Suite("Dates and data of Foundation")
struct BridgeTests {
    @Test(
        "moments become dates and come back, and dates beyond them become the first or the last one",
        arguments: [
            (0, 0), (1_700_000_000.75, 1_700_000_000), (-0.25, -1), (.infinity, .max), (-.infinity, .min), (.nan, .min),
            (1e300, .max), (-1e300, .min),
        ] as [(Double, Int64)]
    )
    func moments(interval: Double, seconds: Int64) {
        let timestamp = Timestamp(Date(timeIntervalSince1970: interval))
        #expect(timestamp == Timestamp(secondsSince1970: seconds))
        #expect(Date(timestamp).timeIntervalSince1970 == Double(seconds))
    }

    @Test("the body of a response can be data")
    func bodies() async throws {
        let cache = try await TokenCache.open(group: "test", clientID: "client", storage: .memory)
        let body = Data(#"xx{"access_token":"at","refresh_token":"rt","expires_in":3600,"scope":"a"}"#.utf8).dropFirst(
            2
        )
        var request = TokenRequest(environment: "login.example", tenant: "t", scopes: ["a"], grant: .interactive)
        request.accountID = "uid.t"
        let saved = try await cache.save(TokenResponse(json: body), for: request)
        #expect(try await saved.accessToken()?.secretString == "at")

        let refusal = Data(#"{"error":"invalid_grant"}"#.utf8)
        #expect(TokenErrorResponse(status: 400, body: refusal, retryAfter: "7").retryAfter == .seconds(7))
        let (at, date) = ("Thu, 01 Jan 1970 00:01:30 GMT", Timestamp(secondsSince1970: 60))
        let delayed = TokenErrorResponse(status: 429, body: Data(), retryAfter: at, date: date)
        #expect(delayed.retryAfter == .seconds(30))
        let query = TokenQuery(accountID: "uid.t", scopes: ["b"])
        let result = try await cache.renew(query) { _ in try .httpResponse(status: 400, body: refusal) }
        guard case .interactionRequired(let interaction) = result else {
            Issue.record("a refusal renewed a token")
            return
        }
        #expect(interaction.errorResponse?.error == "invalid_grant")
    }

    @Test("so can discovery data; anything else is refused as if given in bytes")
    func discovery() throws {
        let error = #expect(throws: TokenCacheError.self) { try CloudMetadata(discoveryJSON: Data("{}".utf8)) }
        #expect(error?.code == .malformedDocument)
    }
}
