// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// What the SDKs' own tests ask of entries that other SDKs wrote.
@Suite("Entries of other libraries behave as they do there")
struct SharedEntryBehaviourTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    @Test("a refresh token that names a tenant and scopes serves any tenant and scopes")
    func refreshTokenWithRealm() throws {
        // MSAL for Go and JS write both. In the Objective-C library a query for a refresh token that names a realm or a
        // target finds nothing; we never compare them, because the servers of the clouds do not either.
        try group.put(TestEntry.refreshToken().with("realm", "utid").with("target", "Mail.Read"))
        #expect(try cache.token(for: MatchingCase.query("User.Read", tenant: "guest")).summary() == "renew rt")
    }

    @Test("two tokens that differ in the claims asked for are two entries, and a plain question gets the plain one")
    func claimsApart() throws {
        let isolated = TestEntry.accessToken("isolated", expiresOn: TestEntry.start + 9000)
            .with("requested_claims", "{\"access_token\":{\"xms_cc\":{\"values\":[\"cp1\"]}}}")
        try group.put(.accessToken("plain"), isolated)
        #expect(try cache.token(for: MatchingCase.query("User.Read")).summary() == "valid plain")
        try TestResponse.signIn(accessToken: "new").save(in: cache)
        #expect(try group.entries().compactMap(\.token).contains("isolated"))
        #expect(try cache.token(for: MatchingCase.query("User.Read")).summary() == "valid new")
    }

    @Test("only isolated tokens: a plain question gets none of them")
    func onlyIsolated() throws {
        try group.put(TestEntry.accessToken().with("requested_claims", "{\"a\":1}"))
        let answer = try cache.token(for: MatchingCase.query("User.Read")).summary()
        #expect(answer.hasPrefix("interaction"))
    }

    @Test(
        "an account is found whatever the case of its id",
        arguments: ["uid.utid", "UID.UTID", "Uid.uTid"]
    )
    func accountCase(id: String) throws {
        try group.put(.account(account: "UID.utid"), .accessToken(account: "uid.UTID"))
        #expect(try cache.token(for: MatchingCase.query("User.Read", account: id)).summary() == "valid at")
        #expect(try cache.accounts(matching: AccountFilter(id: Account.ID(id))).count == 1)
    }

    @Test("app metadata of one client in two clouds are two things")
    func appMetadataByCloud() throws {
        let american = "login.microsoftonline.us"
        try group.put(
            .appMetadata(family: ""),
            .appMetadata(environment: american, family: "1"),
            .refreshToken("public", client: "other", family: "1"),
            .refreshToken("american", client: "other", environment: american, family: "1")
        )
        let asked = MatchingCase.query("User.Read", environment: american)
        #expect(try cache.token(for: asked).summary() == "renew american")
        #expect(try cache.token(for: MatchingCase.query("User.Read")).summary() == "interaction refreshTokenMissing")
    }

    @Test("a member that is null counts as missing")
    func nulls() throws {
        var token = TestEntry.accessToken().with("token_type", json: "null").with("kid", json: "null")
        token = token.with("requested_claims", json: "null").with("refresh_on", json: "null")
        try group.put(token, TestEntry.refreshToken().with("family_id", json: "null"))
        #expect(try cache.token(for: MatchingCase.query("User.Read")).summary() == "valid at")
    }

    @Test("an entry under an old key in mixed case is found, and a save takes its place")
    func oldKeys() throws {
        let old = "uid.utid-login.microsoftonline.com-AccessToken-client-a-utid-User.Read Mail.Read"
        try group.put(TestEntry.accessToken("old").under(old))
        #expect(try cache.token(for: MatchingCase.query("User.Read")).summary() == "valid old")
        try TestResponse.signIn(accessToken: "new").save(in: cache)
        let tokens = try group.entries().filter { $0.fields.kind.isAccessToken }
        #expect(tokens.map(\.token) == ["new"])
    }

    @Test("a refresh token under a wrong key is replaced by its successor")
    func wrongKey() throws {
        try group.put(TestEntry.refreshToken("old").under("uid.utid-wrong-key"))
        try TestResponse.signIn(refreshToken: "new").renewal.save(in: cache)
        #expect(try group.entries().filter { $0.fields.kind == .refreshToken }.map(\.token) == ["new"])
    }

    @Test("keys are never parsed: the members of an entry count")
    func keysTellNothing() throws {
        let liar = "x.y-login.microsoftonline.com-accesstoken-other-tenant-mail.read"
        try group.put(TestEntry.accessToken().under(liar))
        #expect(try cache.token(for: MatchingCase.query("User.Read")).summary() == "valid at")
    }
}
