// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Descriptions and mirrors show no secret and no person")
struct SilenceTests {
    private static let unspeakable = [
        "84, 79, 80", "TOP-SECRET", "nn@contoso", "nn@Contoso", "uid.utid", "client-a", "User.Read",
    ]

    private func check(_ value: Any, _ name: Comment) {
        var dumped = ""
        dump(value, to: &dumped)
        let texts = [
            String(describing: value), String(reflecting: value), dumped,
            Mirror(reflecting: value).children.map { "\($0)" }.joined(),
        ]
        for text in texts {
            for word in Self.unspeakable { #expect(!text.contains(word), name) }
        }
    }

    @Test("of every public value that a lookup, a save or a list hands out")
    func values() throws {
        let group = try TestGroup()
        let cache = try group.cache()
        let account = try #require(
            try TestResponse.signIn(accessToken: "TOP-SECRET-1", refreshToken: "TOP-SECRET-2").save(in: cache)
        )
        let query = MatchingCase.query("User.Read")
        let forced = MatchingCase.query("User.Read", options: TokenQueryOptions(forceRefresh: true))
        check(query, "query")
        check(try cache.token(for: query), "decision")
        check(try cache.token(for: forced), "renewal")
        check(cache, "cache")
        check(account, "account")
        check(account.id, "account id")
        check(account.tenantProfiles[0], "profile")
        check(try #require(try cache.claims(for: account.tenantProfiles[0])), "claims")
        check(AccountFilter(id: "uid.utid", username: "ann@contoso.com"), "filter")
        check(TestResponse.signIn().request, "request")
        guard case .valid(let token) = try cache.token(for: query) else { throw Unexpected() }
        check(token, "access token")
        guard case .renew(let refreshToken, _) = try cache.token(for: forced) else { throw Unexpected() }
        check(refreshToken, "refresh token")
        check(ImportSource.bytes(Array("TOP-SECRET".utf8)), "source")
        check(TokenQueryOptions(claimsChallenge: "TOP-SECRET", isolatedClaims: "TOP-SECRET"), "options")
    }

    @Test("of errors about responses")
    func errors() throws {
        let cache = try TestGroup().cache()
        for body in [
            #"{"access_token":"TOP-SECRET","x":}"#, #"{"error":"TOP-SECRET"}"#, #"{"TOP-SECRET":1,"TOP-SECRET":2}"#,
        ] {
            do {
                let response = try TokenResponse(json: Array(body.utf8))
                try cache.save(response, for: TestResponse.signIn().request)
            } catch {
                check(error, "error")
                #expect(!error.description.isEmpty)
            }
        }
    }
}
