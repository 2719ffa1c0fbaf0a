// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

private let miss = "interaction refreshTokenMissing"
private let hit = "valid at"
private let now = TestEntry.start

@Suite("Access tokens match by fields")
struct AccessTokenMatchingTests {
    @Test("scopes: asked for ⊆ granted, whatever their case and order", arguments: scopeRules)
    func scopes(rule: MatchingCase) throws { try rule.check() }

    static let scopeRules: [MatchingCase] = [
        MatchingCase("exact", [.accessToken(scopes: "a b")], MatchingCase.query("a b"), hit),
        MatchingCase("one of several", [.accessToken(scopes: "a b c")], MatchingCase.query("b"), hit),
        MatchingCase("other case", [.accessToken(scopes: "User.Read")], MatchingCase.query("USER.read"), hit),
        MatchingCase("other order", [.accessToken(scopes: "a b")], MatchingCase.query("b", "a"), hit),
        MatchingCase("repeated", [.accessToken(scopes: "a")], MatchingCase.query("a", "A a"), hit),
        MatchingCase("one not granted", [.accessToken(scopes: "a")], MatchingCase.query("a", "b"), miss),
        MatchingCase("part of a word", [.accessToken(scopes: "user.readwrite")], MatchingCase.query("user.read"), miss),
        MatchingCase(
            "those of OpenID beside others do not count, whether or not the server echoed them",
            [.accessToken(scopes: "a")],
            MatchingCase.query("a", "openid", "profile", "offline_access", "email", "address", "phone"),
            hit
        ),
        MatchingCase(
            "those of OpenID alone: one of openid, profile and email was echoed",
            [.accessToken(scopes: "a Email")],
            MatchingCase.query("OpenID", "profile", "offline_access"),
            hit
        ),
        MatchingCase(
            "those of OpenID alone: a token for no resource",
            [.accessToken(scopes: "phone")],
            MatchingCase.query("openid"),
            hit
        ),
        MatchingCase(
            "those of OpenID alone: a token that shows no sign-in",
            [.accessToken(scopes: "a phone offline_access")],
            MatchingCase.query("openid", "phone"),
            miss
        ),
        MatchingCase(
            "offline_access alone counts as openid",
            [.accessToken(scopes: "openid profile a")],
            MatchingCase.query("offline_access"),
            hit
        ),
        MatchingCase(
            "offline_access alone is not compared",
            [.accessToken(scopes: "a offline_access")],
            MatchingCase.query("offline_access"),
            miss
        ),
        MatchingCase(
            "those of OpenID alone, and a token without scopes",
            [TestEntry.accessToken().with("target", nil)],
            MatchingCase.query("openid"),
            miss
        ),
        MatchingCase("/.default is literal", [.accessToken(scopes: "h/a h/b")], MatchingCase.query("h/.default"), miss),
        MatchingCase(
            "slashes are never collapsed",
            [.accessToken(scopes: "https://h//.default")],
            MatchingCase.query("https://h/.default"),
            miss
        ),
        MatchingCase(
            "double slash as granted",
            [.accessToken(scopes: "https://h//.default")],
            MatchingCase.query("https://h//.default"),
            hit
        ),
        MatchingCase("no target", [TestEntry.accessToken().with("target", nil)], MatchingCase.query("a"), miss),
        MatchingCase("letters beyond ASCII keep case", [.accessToken(scopes: "Ä")], MatchingCase.query("ä"), miss),
    ]

    @Test("several match: the one that lives longest", arguments: [0, 1])
    func longestLiving(order: Int) throws {
        let tokens = [
            TestEntry.accessToken("short", expiresOn: now + 1000), TestEntry.accessToken("long", expiresOn: now + 2000),
        ]
        try MatchingCase("", order == 0 ? tokens : tokens.reversed(), MatchingCase.query("user.read"), "valid long")
            .check()
    }

    @Test(
        "of tokens that are otherwise equal, the one in the section with a scheme is chosen, as after an export",
        arguments: [0, 1],
        ["AccessToken_With_AuthScheme", "AccessToken"]
    )
    func sections(order: Int, kind: String) throws {
        let scheme = TestEntry(
            .accessTokenWithAuthScheme,
            [
                ("credential_type", kind), ("secret", "scheme"), ("token_type", "Bearer"),
                ("home_account_id", TestGroup.account), ("environment", "login.microsoftonline.com"),
                ("client_id", TestGroup.client), ("realm", "utid"), ("target", "User.Read Mail.Read"),
                ("cached_at", String(TestEntry.start - 600)), ("expires_on", String(TestEntry.start + 3000)),
            ]
        )
        let tokens = [scheme, TestEntry.accessToken("plain")]
        try MatchingCase("", order == 0 ? tokens : tokens.reversed(), MatchingCase.query("user.read"), "valid scheme")
            .check()
        let ended = scheme.with("expires_on", String(TestEntry.start - 1))
        try MatchingCase("", [ended], MatchingCase.query("user.read"), "interaction tokensExpired").check()
    }

    @Test("environment: aliases of one cloud are equal", arguments: environmentRules)
    func environments(rule: MatchingCase) throws { try rule.check() }

    static let environmentRules: [MatchingCase] = [
        MatchingCase(
            "alias",
            [.accessToken(environment: "login.windows.net")],
            MatchingCase.query("user.read", environment: "login.microsoftonline.com"),
            hit
        ),
        MatchingCase(
            "another port is another host",
            [.accessToken(account: "s", environment: "id.example:8443")],
            MatchingCase.query("user.read", account: "s", environment: "id.example"),
            miss
        ),
        MatchingCase(
            "the same port",
            [.accessToken(account: "s", environment: "id.example:8443")],
            MatchingCase.query("user.read", account: "s", environment: "ID.example:8443"),
            hit
        ),
        MatchingCase(
            "alias that no table prefers",
            [.accessToken(environment: "sts.windows.net")],
            MatchingCase.query("user.read", environment: "login.microsoft.com"),
            hit
        ),
        MatchingCase(
            "other cloud",
            [.accessToken(environment: "login.microsoftonline.us")],
            MatchingCase.query("user.read", environment: "login.microsoftonline.com"),
            miss
        ),
        MatchingCase(
            "any",
            [.accessToken(environment: "login.microsoftonline.us")],
            MatchingCase.query("user.read", environment: nil),
            hit
        ),
        MatchingCase(
            "unknown host, other case",
            [.accessToken(environment: "IDP.Example.com")],
            MatchingCase.query("user.read", environment: "idp.example.COM"),
            hit
        ),
        MatchingCase(
            "unknown host is not another",
            [.accessToken(environment: "idp.example.com")],
            MatchingCase.query("user.read", environment: "idp2.example.com"),
            miss
        ),
    ]

    private static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"

    @Test("realm: tenants and the words that mean them", arguments: realmRules)
    func realms(rule: MatchingCase) throws { try rule.check() }

    static let realmRules: [MatchingCase] = [
        MatchingCase("same", [.accessToken(realm: "UTID")], MatchingCase.query("user.read", tenant: "utid"), hit),
        MatchingCase("guest tenant", [.accessToken(realm: "g")], MatchingCase.query("user.read", tenant: "g"), hit),
        MatchingCase("other tenant", [.accessToken(realm: "g")], MatchingCase.query("user.read", tenant: "h"), miss),
        MatchingCase("common means home", [.accessToken()], MatchingCase.query("user.read", tenant: "common"), hit),
        MatchingCase("none means home", [.accessToken()], MatchingCase.query("user.read", tenant: nil), hit),
        MatchingCase(
            "none does not mean a guest tenant",
            [.accessToken(realm: "g")],
            MatchingCase.query("user.read", tenant: nil),
            miss
        ),
        MatchingCase(
            "common matches the literal word",
            [.accessToken(realm: "common")],
            MatchingCase.query("user.read", tenant: "Common"),
            hit
        ),
        MatchingCase(
            "organizations means home",
            [.accessToken()],
            MatchingCase.query("user.read", tenant: "organizations"),
            hit
        ),
        MatchingCase(
            "organizations matches the literal word",
            [.accessToken(realm: "organizations")],
            MatchingCase.query("user.read", tenant: "organizations"),
            hit
        ),
        MatchingCase(
            "none means what is stored under a word for the home tenant",
            [.accessToken(realm: "organizations")],
            MatchingCase.query("user.read", tenant: nil),
            hit
        ),
        MatchingCase(
            "common means what is stored under organizations",
            [.accessToken(realm: "Organizations")],
            MatchingCase.query("user.read", tenant: "common"),
            hit
        ),
        MatchingCase(
            "organizations means what is stored under common",
            [.accessToken(realm: "common")],
            MatchingCase.query("user.read", tenant: "organizations"),
            hit
        ),
        MatchingCase(
            "what is stored under a word is not meant by another tenant",
            [.accessToken(realm: "organizations")],
            MatchingCase.query("user.read", tenant: "g"),
            miss
        ),
        MatchingCase(
            "common means what is stored under consumers for a personal account",
            [.accessToken(account: "u." + personal, realm: "consumers")],
            MatchingCase.query("user.read", account: "u." + personal, tenant: nil),
            hit
        ),
        MatchingCase(
            "common does not mean what is stored under consumers for another account",
            [.accessToken(realm: "consumers")],
            MatchingCase.query("user.read", tenant: "common"),
            miss
        ),
        MatchingCase(
            "organizations does not mean what is stored under common for a personal account",
            [.accessToken(account: "u." + personal, realm: "common")],
            MatchingCase.query("user.read", account: "u." + personal, tenant: "organizations"),
            miss
        ),
        MatchingCase(
            "organizations does not mean personal accounts",
            [.accessToken(account: "u." + personal, realm: personal)],
            MatchingCase.query("user.read", account: "u." + personal, tenant: "organizations"),
            miss
        ),
        MatchingCase(
            "consumers means the tenant of personal accounts",
            [.accessToken(account: "u." + personal, realm: personal)],
            MatchingCase.query("user.read", account: "u." + personal, tenant: "consumers"),
            hit
        ),
        MatchingCase(
            "an account without a home tenant matches in any realm when none is named",
            [.accessToken(account: "subject", environment: "adfs.example.com", realm: "adfs")],
            MatchingCase.query("user.read", account: "subject", tenant: nil, environment: "adfs.example.com"),
            hit
        ),
        MatchingCase(
            "adfs matches an entry without a realm, as MSAL.NET writes it",
            [.accessToken(account: "subject", environment: "adfs.example.com", realm: "")],
            MatchingCase.query("user.read", account: "subject", tenant: "adfs", environment: "adfs.example.com"),
            hit
        ),
        MatchingCase(
            "adfs matches no entry without a realm in a known cloud",
            [.accessToken(realm: "")],
            MatchingCase.query("user.read", tenant: "adfs"),
            miss
        ),
        MatchingCase(
            "an id whose two parts are equal names no home tenant",
            [.accessToken(account: "uid.UID", realm: "t"), .account(account: "uid.UID", realm: "t")],
            MatchingCase.query("user.read", account: "uid.uid", tenant: nil),
            hit
        ),
        MatchingCase(
            "known cloud, an id that names no home tenant: the only tenant that knows the account",
            [.accessToken(account: "subject", realm: "t"), .account(account: "subject", realm: "t")],
            MatchingCase.query("user.read", account: "subject", tenant: nil),
            hit
        ),
        MatchingCase(
            "known cloud, an id that names no home tenant: common means the same",
            [.accessToken(account: "subject", realm: "t"), .account(account: "subject", realm: "t")],
            MatchingCase.query("user.read", account: "subject", tenant: "common"),
            hit
        ),
        MatchingCase(
            "known cloud, an id that names no home tenant: of two tenants nobody can tell which one is meant",
            [
                .accessToken(account: "subject", realm: "t"), .account(account: "subject", realm: "t"),
                .account(account: "subject", realm: "g"),
            ],
            MatchingCase.query("user.read", account: "subject", tenant: nil),
            miss
        ),
        MatchingCase(
            "known cloud, an id that names no home tenant: without account entries what stands under the word",
            [
                .accessToken("other", account: "subject", realm: "t", expiresOn: TestEntry.start + 9000),
                .accessToken(account: "subject", realm: "common"),
            ],
            MatchingCase.query("user.read", account: "subject", tenant: nil),
            hit
        ),
        MatchingCase(
            "other issuers: a dot in the account's id tells no tenant when none is named",
            [.accessToken(account: "ann@example.com", environment: "idp.example.com", realm: "r")],
            MatchingCase.query("user.read", account: "ann@example.com", tenant: nil, environment: "idp.example.com"),
            hit
        ),
        MatchingCase(
            "other issuers: a realm that is named counts",
            [.accessToken(account: "ann@example.com", environment: "idp.example.com", realm: "r")],
            MatchingCase.query("user.read", account: "ann@example.com", tenant: "s", environment: "idp.example.com"),
            miss
        ),
    ]

    @Test("other distinctions between tokens", arguments: otherRules)
    func others(rule: MatchingCase) throws { try rule.check() }

    static let otherRules: [MatchingCase] = [
        MatchingCase(
            "account in other case",
            [.accessToken()],
            MatchingCase.query("user.read", account: "UID.UTID"),
            hit
        ),
        MatchingCase("other client", [.accessToken(client: "other")], MatchingCase.query("user.read"), miss),
        MatchingCase("client in other case", [.accessToken(client: "CLIENT-A")], MatchingCase.query("user.read"), hit),
        MatchingCase(
            "isolated by claims",
            [TestEntry.accessToken().with("requested_claims", "{}")],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "isolated by an extended key",
            [TestEntry.accessToken().with("ext_cache_key", "abc")],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "isolated by an assertion",
            [TestEntry.accessToken().with("user_assertion_hash", "abc")],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "isolated by an application",
            [TestEntry.accessToken().with("application_cache_identifier", "app")],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "bearer by name",
            [TestEntry.accessToken().with("token_type", "Bearer")],
            MatchingCase.query("user.read", options: TokenQueryOptions(tokenType: "bearer")),
            hit
        ),
        MatchingCase(
            "pop is not bearer",
            [TestEntry.accessToken().with("token_type", "pop").with("kid", "K")],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "pop with its key",
            [TestEntry.accessToken().with("token_type", "Pop").with("kid", "K")],
            MatchingCase.query("user.read", options: TokenQueryOptions(tokenType: "pop", keyID: "K")),
            hit
        ),
        MatchingCase(
            "pop with another key",
            [TestEntry.accessToken().with("token_type", "pop").with("kid", "k")],
            MatchingCase.query("user.read", options: TokenQueryOptions(tokenType: "pop", keyID: "K")),
            miss
        ),
        MatchingCase(
            "pop of its own kind",
            [
                TestEntry.accessToken().with("credential_type", "AccessToken_With_AuthScheme")
                    .with("token_type", "pop").with("kid", "K")
            ],
            MatchingCase.query("user.read", options: TokenQueryOptions(tokenType: "POP")),
            hit
        ),
        MatchingCase(
            "of the kind of bound tokens, without a type: not bearer",
            [TestEntry.accessToken().with("credential_type", "AccessToken_With_AuthScheme")],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "an unknown kind is never matched",
            [TestEntry.accessToken().with("credential_type", "Password")],
            MatchingCase.query("user.read"),
            "interaction accountUnknown"
        ),
    ]
}
