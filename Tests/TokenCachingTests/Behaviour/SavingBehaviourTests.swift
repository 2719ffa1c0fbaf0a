// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// What the SDKs' own tests ask of saving a token response and of tokens that age.
@Suite("Saving and ageing behave as in the SDKs")
struct SavingBehaviourTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func accessTokens() throws -> [String] {
        try group.entries().filter { $0.fields.kind.isAccessToken }.compactMap(\.token).sorted()
    }

    @Test("tokens of two tenants, of two clouds and of two people are kept side by side")
    func sideBySide() throws {
        try TestResponse.signIn(accessToken: "home").save(in: cache)
        try TestResponse.signIn(accessToken: "guest", claims: ["tid": "guest", "oid": "g"], tenant: "guest").save(
            in: cache
        )
        try TestResponse.signIn(accessToken: "american").asked { $0.environment = "login.microsoftonline.us" }
            .save(in: cache)
        try TestResponse.signIn(accessToken: "person", clientInfo: ["uid": "other", "utid": "utid"]).save(in: cache)
        #expect(try accessTokens() == ["american", "guest", "home", "person"])
    }

    @Test("tokens without a scope in common are kept side by side; OpenID scopes are none")
    func scopesApart() throws {
        try TestResponse.signIn(accessToken: "user", scope: "User.Read openid profile").save(in: cache)
        try TestResponse.signIn(accessToken: "mail", scope: "Mail.Read openid profile").save(in: cache)
        #expect(try accessTokens() == ["mail", "user"])
        try TestResponse.signIn(accessToken: "both", scope: "mail.read User.Read").save(in: cache)
        #expect(try accessTokens() == ["both"])
    }

    @Test("a response without an id token saves the access token and no id token")
    func withoutIDToken() throws {
        try TestResponse.signIn(claims: nil).save(in: cache)
        #expect(try accessTokens() == ["at"])
        #expect(try !group.entries().contains { $0.fields.kind == .idToken })
        #expect(try cache.accounts().map(\.id) == ["uid.utid"])
    }

    @Test("a good access token is handed out though no id token came with it")
    func hitWithoutIDToken() throws {
        // The Objective-C library renews for one. An access token needs none, and a server that sent none once sends none again.
        try TestResponse.signIn(claims: nil).save(in: cache)
        let result = try cache.renewSynchronously(MatchingCase.query("User.Read")) { _ in
            Issue.record("a token was renewed that is good")
            return .unavailable
        }
        #expect(try result.summary() == "valid at")
    }

    @Test("saving works if an account is stored under two keys")
    func accountTwice() throws {
        try TestResponse.signIn().save(in: cache)
        try group.put(
            TestEntry.account(environment: "login.microsoftonline.com").under("k"),
            TestEntry.appMetadata(environment: "login.microsoftonline.com", family: "1").under("k")
        )
        try TestResponse.signIn(accessToken: "new", claims: ["tid": "utid", "oid": "uid", "name": "Ann B"]).save(
            in: cache
        )
        #expect(try cache.token(for: MatchingCase.query("User.Read")).summary() == "valid new")
        #expect(try cache.accounts().first?.tenantProfiles.map(\.name) == ["Ann B"])
    }

    @Test("saved account metadata takes precedence over later imports under another key")
    func toldAgain() throws {
        let signIn = TestResponse.signIn(claims: ["tid": "utid", "oid": "uid", "name": "Ann B"])
        try signIn.save(in: cache)
        // The access token beside the saved entry shows that it is newer than one under another host.
        try group.put(TestEntry.account(environment: "login.microsoftonline.com").with("name", "Other host").under("h"))
        #expect(try cache.accounts().first?.tenantProfiles.map(\.name) == ["Ann B"])
        try group.put(TestEntry.account(environment: "login.windows.net").with("name", "Imported").under("k"))
        #expect(try cache.accounts().first?.tenantProfiles.map(\.name) == ["Imported"])
        try signIn.save(in: cache)
        #expect(try cache.accounts().first?.tenantProfiles.map(\.name) == ["Ann B"])
    }

    @Test("a client that renews with the family's token joins the family")
    func joins() throws {
        try group.put(.account(), .refreshToken("shared", client: "other", family: "1"))
        #expect(try cache.token(for: MatchingCase.query("User.Read")).summary() == "renew shared")
        try TestResponse.signIn(refreshToken: "next", family: "1").renewal.save(in: cache)
        #expect(try group.entries().filter { $0.fields.kind == .refreshToken }.map(\.token) == ["next"])
        #expect(try group.entries().filter { $0.fields.kind == .appMetadata }.map(\.fields.familyID) == ["1"])
        #expect(try group.cache(client: "third").token(for: MatchingCase.query("User.Read")).summary() == "renew next")
    }

    @Test(
        "a family that a response names replaces what entries under other hosts of the cloud say",
        arguments: [true, false]
    )
    func joinsUnderEachHost(isOtherCase: Bool) throws {
        let client = isOtherCase ? TestGroup.client.uppercased() : TestGroup.client
        try group.put(.appMetadata(client: client, environment: "login.windows.net", family: ""))
        try group.put(.appMetadata(environment: "login.microsoftonline.com", family: "2"))
        try TestResponse.signIn(refreshToken: "next", family: "1").save(in: cache)
        let entries = try group.entries().filter { $0.fields.kind == .appMetadata }
        #expect(Set(entries.map(\.fields.familyID)) == ["1"])
    }

    @Test("a client that is known to be in no family leaves the family's token alone")
    func orphan() throws {
        try group.put(.account(), .refreshToken("shared", client: "other", family: "1"), .appMetadata(family: ""))
        #expect(try cache.token(for: MatchingCase.query("User.Read")).summary() == "interaction refreshTokenMissing")
        #expect(try group.entries().compactMap(\.token) == ["shared"])
    }

    /// Seconds after a token of an hour with `refresh_in` 1,800 was saved, whether the server can be reached, and what a
    /// lookup says.
    static let ages: [(Int64, Bool, String)] = [
        (60, true, "valid at"), (60, false, "valid at"),
        (1800, true, "valid at renew"), (3299, true, "valid at renew"), (3299, false, "valid at renew"),
        (3300, true, "renew rt"), (3300, false, "renew rt"),
    ]

    @Test("a fresh token is handed out, an ageing one too and marked, an expired one never", arguments: ages)
    func ageing(seconds: Int64, isReachable: Bool, expected: String) throws {
        try TestResponse.signIn().with("refresh_in", 1800).save(in: cache)
        group.clock.advance(by: seconds)
        let query = MatchingCase.query("User.Read", options: TokenQueryOptions(allowsExtendedLifetime: !isReachable))
        #expect(try cache.token(for: query).summary() == expected)
    }

    @Test("a token in its extended life is handed out only while the server cannot be reached")
    func extended() throws {
        try TestResponse.signIn().with("ext_expires_in", 7200).save(in: cache)
        group.clock.advance(by: 4000)
        #expect(try cache.token(for: MatchingCase.query("User.Read")).summary() == "renew rt")
        let query = MatchingCase.query("User.Read", options: TokenQueryOptions(allowsExtendedLifetime: true))
        #expect(try cache.token(for: query).summary() == "valid at renew")
        group.clock.advance(by: 3200)
        #expect(try cache.token(for: query).summary() == "renew rt")
    }

    @Test("claims of a challenge pass every stored token over, and the token that comes of it is a plain one")
    func challenge() throws {
        try TestResponse.signIn(accessToken: "old").save(in: cache)
        let query = MatchingCase.query(
            "User.Read",
            options: TokenQueryOptions(claimsChallenge: "{\"access_token\":{}}")
        )
        #expect(try cache.token(for: query).summary() == "renew rt")
        try TestResponse.signIn(accessToken: "new").renewal.save(in: cache)
        #expect(try cache.token(for: MatchingCase.query("User.Read")).summary() == "valid new")
        #expect(try accessTokens() == ["new"])
    }
}
