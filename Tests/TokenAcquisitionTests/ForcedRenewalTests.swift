// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// Requests that ignore a valid token, and get no new one.
@Suite struct ForcedRenewalTests {
    /// The status and body of the response, and the code of the error.
    static let failures: [(Int, [String: String], AcquisitionError.Code)] = [
        (500, [:], .serverUnavailable), (503, [:], .serverUnavailable), (429, [:], .throttled),
        (403, [:], .serverUnavailable), (404, [:], .serverUnavailable), (204, [:], .serverUnavailable),
        (400, ["error": "server_error"], .serverUnavailable), (400, ["error": "invalid_grant"], .interactionRequired),
        (400, ["error": "invalid_scope"], .serverRefused), (200, [:], .responseRejected),
    ]

    @Test(arguments: failures) func `a request for a new token fails with the server's answer, and the valid token`(
        _ status: Int,
        _ members: [String: String],
        _ code: AcquisitionError.Code
    ) async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.server.answer(status: status, json(members))
        let error = try #require(await contoso.failure(account) { $0.forceRefresh = true })
        #expect(error.code == code, "\(error)")
        if status != 200 { #expect(error.errorResponse?.status == status) }
        #expect(try error.result?.accessToken.secretString == "at-1")
        #expect(error.result?.source == .cache)
        // A request that accepts the valid token gets it.
        #expect(try await contoso.silent(account).accessToken.secretString == "at-1")
    }

    @Test func `while a server is left alone, the error says how long`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.server.answer(status: 503, "", headers: ["Retry-After": "90"])
        _ = await contoso.failure(account) { $0.forceRefresh = true }
        contoso.clock.advance(by: 30)
        let error = try #require(await contoso.failure(account) { $0.forceRefresh = true })
        #expect(contoso.server.posts.count == 1)
        #expect(error.retryAfter == .seconds(60) && error.errorResponse?.status == 503)
        #expect(try error.result?.accessToken.secretString == "at-1")
    }

    @Test func `a token that an API rejected is not in the error`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.server.answer(status: 503, "")
        let error = await contoso.failure(account) {
            $0.claims = try? ClaimsRequest(json: #"{"access_token":{"nbf":{"essential":true}}}"#)
        }
        #expect(error?.code == .serverUnavailable && error?.result == nil)
    }

    @Test func `without a valid token there is none in the error`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(status: 503, "")
        let error = await contoso.failure(account) { $0.forceRefresh = true }
        #expect(error?.code == .serverUnavailable && error?.result == nil)
    }
}
