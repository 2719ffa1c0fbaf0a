// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// What servers answer to a renewal instead of tokens.
@Suite struct RefusalTests {
    /// Status, members of the response, expected code.
    static let refusals: [(Int, [String: String], AcquisitionError.Code)] = [
        (400, ["error": "invalid_grant"], .interactionRequired),
        (400, ["error": "invalid_grant", "suberror": "bad_token"], .interactionRequired),
        (400, ["error": "interaction_required"], .interactionRequired),
        (400, ["error": "login_required"], .interactionRequired),
        (400, ["error": "consent_required"], .interactionRequired),
        (400, ["error": "invalid_grant", "suberror": "protection_policy_required"], .protectionPolicyRequired),
        (400, ["error": "invalid_request"], .serverRefused),
        (401, ["error": "invalid_client"], .serverRefused),
        (400, ["error": "invalid_scope"], .serverRefused),
        (400, ["error": "unauthorized_client"], .grantNotSupported),
        (400, ["error": "unsupported_grant_type"], .grantNotSupported),
        (400, ["error": "something_else"], .serverRefused),
        (403, ["error": "access_denied"], .declinedByUser),
        (429, ["error": "temporarily_unavailable"], .throttled),
        (429, [:], .throttled),
        (500, ["error": "server_error"], .serverUnavailable),
        (429, ["error": "something_else"], .throttled),
        (503, ["error": "something_else"], .serverUnavailable),
        (503, [:], .serverUnavailable),
        (404, [:], .serverUnavailable),
        (302, [:], .responseRejected),
        (200, ["error": "invalid_grant"], .responseRejected),
        (200, [:], .responseRejected),
    ]

    @Test(arguments: refusals) func `a refusal lands in its code`(
        _ status: Int,
        _ members: [String: String],
        _ code: AcquisitionError.Code
    ) async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(status: status, json(members))
        let error = try #require(await contoso.failure(account))
        #expect(error.code == code, "\(error)")
        if let name = members["error"], status != 200 { #expect(error.errorResponse?.error == name) }
    }

    @Test func `a refusal without a body needs the user, is not repeated at once, and the refresh token stays`()
        async throws
    {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(status: 400, "")
        // The second request finds the note of the first: nothing is sent.
        for _ in 0..<2 {
            let error = await contoso.failure(account)
            #expect(error?.code == .interactionRequired && error?.reason == .renewalRefused)
            #expect(error?.errorResponse?.status == 400)
        }
        contoso.server.answer(contoso.tokens("2"))
        contoso.clock.advance(by: 121)
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
    }

    @Test(arguments: [50097, 50129, 53000, 53001, 53003]) func `the number of a device policy is recognised`(
        _ number: Int
    ) async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(status: 400, json(["error": "interaction_required", "error_codes": [1, number]]))
        let error = await contoso.failure(account)
        #expect(error?.code == .deviceRegistrationRequired)
        #expect(error?.description.contains("\(number)") == true)
    }

    @Test func `a server that asks for time is left alone until it is over`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(status: 429, "{}", headers: ["Retry-After": "120"])
        let first = await contoso.failure(account)
        #expect(first?.code == .throttled)
        #expect(first?.retryAfter == .seconds(120))
        #expect(await contoso.failure(account)?.code == .throttled)
        #expect(contoso.server.posts.count == 1)
        contoso.clock.advance(by: 121)
        contoso.server.answer(contoso.tokens("2"))
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
    }

    @Test func `a server that asks for time until a date is left alone by the client's clock`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(status: 429, "{}", headers: ["Retry-After": Self.inTwoMinutes])
        #expect(await contoso.failure(account)?.retryAfter == .seconds(120))
        contoso.clock.advance(by: 121)
        contoso.server.answer(contoso.tokens("2"))
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
    }

    @Test func `the date at which metadata may be requested again counts by the client's clock`() async throws {
        let server = ScriptedServer()
        server.answer(status: 503, "", headers: ["Retry-After": Self.inTwoMinutes])
        let clock = TestClock()
        clock.advance(by: 4000)
        let services = Contoso.services(server, clock, SleepLog())
        let discovery = Discovery(ClientConfiguration(clientID: "client"), services, cache: nil)
        let error = await #expect(throws: AcquisitionError.self) {
            try await discovery.finding(for: .common, timeout: .seconds(20))
        }
        #expect(error?.retryAfter == .seconds(120))
    }

    /// Two minutes after a test's clock that was advanced by 4000 seconds.
    private static let inTwoMinutes = "Tue, 14 Nov 2023 23:22:00 GMT"

    @Test func `a connection that failed before anything was sent is tried once more`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(failure: TransportError(.connectionFailed, mayHaveBeenSent: false))
        contoso.server.answer(contoso.tokens("2"))
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
        #expect(contoso.server.posts.map { $0.form["refresh_token"] } == ["rt-1", "rt-1"])
    }

    @Test func `a refresh token that may have been sent is not sent again by the same call`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(failure: TransportError(.timeout, mayHaveBeenSent: true))
        let error = await contoso.failure(account)
        #expect(error?.code == .networkFailed)
        #expect(error?.transportError?.code == .timeout)
        #expect(contoso.server.posts.count == 1)
    }

    @Test func `HTML for tokens is refused, and the refresh token stays`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer("<html>", headers: ["Content-Type": "text/html"])
        #expect(await contoso.failure(account)?.code == .responseRejected)
        contoso.server.answer(contoso.tokens("2"))
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
    }

    @Test func `an expired token helps out during an outage only where the application agreed`() async throws {
        for isAgreed in [true, false] {
            let contoso = try Contoso { $0.allowsExtendedLifetime = isAgreed }
            let account = try contoso.signIn("1", ["ext_expires_in": 86400])
            contoso.clock.advance(by: 4000)
            contoso.server.answer(status: 503, "")
            if isAgreed {
                let result = try await contoso.silent(account)
                #expect(result.source == .cacheWhileServerUnavailable)
                #expect(result.isExtended)
                #expect(try result.accessToken.secretString == "at-1")
            } else {
                #expect(await contoso.failure(account)?.code == .serverUnavailable)
            }
        }
    }

    @Test func `an id token of another application is not accepted`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(contoso.tokens("2", claims: ["aud": "another"]))
        #expect(await contoso.failure(account)?.code == .idTokenRejected)
        contoso.server.answer(contoso.tokens("3", claims: ["iss": "https://evil.example/v2.0"]))
        #expect(await contoso.failure(account)?.code == .issuerRejected)
    }

    @Test func `a wrong clock does not lose the refresh token of a renewal`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(
            contoso.tokens("2", claims: ["iat": contoso.clock.now + 6000, "exp": contoso.clock.now + 9600])
        )
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
    }
}
