// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// Bodies as Microsoft's servers send them, and as the tests of its libraries have them.
@Suite("Refused renewals, as the SDKs' own tests state them")
struct RefusalBehaviourTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private static let otherClient = #"{"error": "invalid_grant", "error_description": "Was issued to another client"}"#

    private static let scopesNotConsented = """
        {"error":"invalid_grant","error_description":"AADSTS70000: The request was denied because one or more scopes \
        requested are unauthorized or expired. The user must first sign in and grant the client application access to \
        the requested scope.","error_codes":[70000],"timestamp":"2026-11-22 10:00:00Z",\
        "trace_id":"11111111-2222-3333-4444-555555555555","correlation_id":"66666666-7777-8888-9999-000000000000"}
        """

    private static let passwordChanged = """
        {"error":"invalid_grant","error_description":"AADSTS50173: The provided grant has expired due to it being \
        revoked, a fresh auth token is needed.","error_codes":[50173],"timestamp":"2026-11-22 10:00:00Z",\
        "trace_id":"11111111-2222-3333-4444-555555555555","correlation_id":"66666666-7777-8888-9999-000000000000",\
        "suberror":"bad_token"}
        """

    private static let inactive = """
        {"error":"invalid_grant","error_description":"AADSTS700082: The refresh token has expired due to inactivity.",\
        "error_codes":[700082],"timestamp":"2026-11-22 10:00:00Z","trace_id":"11111111-2222-3333-4444-555555555555",\
        "correlation_id":"66666666-7777-8888-9999-000000000000","suberror":"bad_token"}
        """

    private static let deleted = #"{"error":"invalid_grant","suberror":"user_account_deleted"}"#

    /// Renews at a server that has one answer, and tells what came of it.
    private func renew(_ scope: String, _ body: String, in cache: TokenCache? = nil) throws -> String {
        try (cache ?? self.cache).renewSynchronously(MatchingCase.query(scope)) { _ in
            try .httpResponse(status: 400, body: Array(body.utf8))
        }.summary()
    }

    private func refreshTokens() throws -> [String] {
        try group.entries().filter { $0.fields.kind.isRefreshToken }.compactMap(\.token).sorted()
    }

    @Test(
        "an orphan that tries the family's token learns that it was issued to another client, and the family keeps it"
    )
    func orphan() throws {
        let member = try group.cache(client: "member")
        try TestResponse.signIn(family: "1").with("access_token", nil).save(in: member)
        #expect(try renew("user.read", Self.otherClient) == "interaction renewalRefused")
        #expect(try refreshTokens() == ["rt"])
        #expect(try member.token(for: MatchingCase.query("user.read")).summary() == "renew rt")
    }

    @Test("scopes that the user did not consent to cost no token")
    func scopes() throws {
        try TestResponse.signIn().save(in: cache)
        #expect(try renew("mail.send", Self.scopesNotConsented) == "interaction renewalRefused")
        #expect(try refreshTokens() == ["rt"])
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid at")
        group.clock.advance(by: 3600)
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "renew rt")
    }

    @Test("a revoked or unused session costs exactly one token", arguments: [passwordChanged, inactive])
    func dead(body: String) throws {
        try TestResponse.signIn().with("access_token", nil).save(in: cache)
        try TestResponse.signIn(refreshToken: "other").save(in: group.cache(client: "other"))
        try group.put(.refreshToken("another person's", account: "x.y"))
        #expect(try renew("user.read", body) == "interaction refreshTokenLost")
        #expect(try refreshTokens() == ["another person's", "other"])
    }

    @Test(
        "outside Microsoft's hosts nothing is erased",
        arguments: [nil, "bad_token", "token_expired", "user_account_deleted"]
    )
    func elsewhere(suberror: String?) throws {
        try group.put(.refreshToken("rt", environment: "idp.example.org"))
        let query = MatchingCase.query("a", environment: "idp.example.org")
        guard case .renew(let token, _) = try cache.token(for: query) else { throw Unexpected() }
        #expect(
            try cache.noteRefusal(of: token, response: TokenErrorResponse(error: "invalid_grant", suberror: suberror))
                == (suberror == nil ? .blocked : .kept)
        )
        #expect(try refreshTokens() == ["rt"])
    }

    @Test("where the account was deleted, this application is signed out of it, and others are not")
    func deletedAccount() throws {
        let other = try group.cache(client: "other")
        try TestResponse.signIn().with("access_token", nil).save(in: cache)
        try TestResponse.signIn(refreshToken: "rt2").save(in: other)
        #expect(try renew("user.read", Self.deleted) == "interaction signedOut")
        #expect(try cache.accounts().isEmpty)
        #expect(try refreshTokens() == ["rt2"])
        #expect(try other.token(for: MatchingCase.query("user.read")).summary() == "valid at")
    }

    @Test("a user who has signed in again is not signed out because the old token was refused")
    func deletedAndBack() throws {
        try TestResponse.signIn().with("access_token", nil).save(in: cache)
        let query = MatchingCase.query("user.read")
        let decision = try cache.renewSynchronously(query) { _ in
            try TestResponse.signIn(accessToken: "back", refreshToken: "rt2").save(in: group.cache())
            return try .httpResponse(status: 400, body: Array(Self.deleted.utf8))
        }
        #expect(try decision.summary() == "valid back")
    }
}
