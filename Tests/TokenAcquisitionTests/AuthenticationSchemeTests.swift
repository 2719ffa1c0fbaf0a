// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

@Suite struct AuthenticationSchemeTests {
    struct Proof: AuthenticationScheme {
        var keyID = "key-1"
        var tokenType: String { "pop" }
        var tokenRequestParameters: [String: String] { ["token_type": "pop", "req_cnf": "thumbprint-\(keyID)"] }

        func authorizationHeader(accessToken: String, for request: ResourceRequest) async throws -> String {
            await Task.yield()
            return "PoP \(request.method) \(request.url) \(request.nonce ?? "-") \(accessToken) \(keyID)"
        }
    }

    let contoso: Contoso
    let account: Account

    init() throws {
        contoso = try Contoso()
        account = try contoso.signIn()
    }

    private func bound(_ keyID: String = "key-1") async throws -> AuthenticationResult {
        try await contoso.silent(account) { $0.authenticationScheme = Proof(keyID: keyID) }
    }

    @Test func `a bound token is requested with the key, and found again only for it`() async throws {
        contoso.server.answer(contoso.tokens("p", ["token_type": "pop"]))
        let result = try await bound()
        #expect(result.source == .renewal)
        #expect(try result.accessToken.secretString == "at-p")
        #expect(result.accessToken.keyID == "key-1")
        let form = try #require(contoso.server.posts.last?.form)
        #expect(form["token_type"] == "pop" && form["req_cnf"] == "thumbprint-key-1")
        #expect(try await bound().source == .cache)
        contoso.server.answer(contoso.tokens("q", ["token_type": "pop"]))
        #expect(try await bound("key-2").accessToken.secretString == "at-q")
        // The bearer token is another one.
        #expect(try await contoso.silent(account).accessToken.secretString == "at-1")
    }

    @Test func `the header of a request is the scheme's`() async throws {
        contoso.server.answer(contoso.tokens("p", ["token_type": "pop"]))
        let request = ResourceRequest(method: "GET", url: "https://api.example/me", nonce: "n")
        let header = try await bound().authorizationHeader(for: request)
        #expect(header == "PoP GET https://api.example/me n at-p key-1")
        #expect(try await contoso.silent(account).authorizationHeader(for: request) == "Bearer at-1")
    }

    @Test func `a bound token is handed out with no header that lacks the proof`() async throws {
        contoso.server.answer(contoso.tokens("p", ["token_type": "pop"]))
        let result = try await bound()
        let ofProperty = #expect(throws: AcquisitionError.self) { try result.authorizationHeader }
        let ofBytes = #expect(throws: AcquisitionError.self) {
            try result.withAuthorizationHeader { _ in Issue.record("the header was made") }
        }
        for error in [ofProperty, ofBytes] {
            #expect(error?.code == .requestRejected)
            #expect(error?.description.contains("authorizationHeader(for:)") == true)
        }
    }

    @Test func `a bearer token instead of a bound one is neither handed out nor kept, but the next refresh token is`()
        async throws
    {
        contoso.server.answer(contoso.tokens("2"))
        let error = await #expect(throws: AcquisitionError.self) { try await bound() }
        #expect(error?.code == .responseRejected, "\(error.map { "\($0)" } ?? "")")
        #expect(try await contoso.silent(account).accessToken.secretString == "at-1")
        contoso.server.answer(contoso.tokens("p", ["token_type": "pop"]))
        #expect(try await bound().accessToken.secretString == "at-p")
        #expect(contoso.server.posts.last?.form["refresh_token"] == "rt-2")
    }
}
