// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

private let now = TestEntry.start

@Suite("A query without an answer says why")
struct InteractionReasonTests {
    @Test("the reason is the one that helps most", arguments: rules)
    func reasons(rule: MatchingCase) throws { try rule.check() }

    static let rules: [MatchingCase] = [
        MatchingCase("nothing at all", [], MatchingCase.query("a"), "interaction accountUnknown"),
        MatchingCase(
            "nothing of the account",
            [.accessToken(account: "x.y")],
            MatchingCase.query("a"),
            "interaction accountUnknown"
        ),
        MatchingCase("only the account", [.account()], MatchingCase.query("a"), "interaction refreshTokenMissing"),
        MatchingCase(
            "tokens for other scopes",
            [.accessToken()],
            MatchingCase.query("other"),
            "interaction refreshTokenMissing"
        ),
        MatchingCase(
            "a token that has ended",
            [.accessToken(expiresOn: now)],
            MatchingCase.query("user.read"),
            "interaction tokensExpired"
        ),
        MatchingCase(
            "a token that has ended, of another tenant",
            [.accessToken(realm: "g", expiresOn: now)],
            MatchingCase.query("user.read"),
            "interaction refreshTokenMissing"
        ),
        MatchingCase(
            "tokens that have ended beside a family's that the client must not spend",
            [.accessToken(expiresOn: now), .refreshToken(client: "b", family: "2")],
            MatchingCase.query("user.read"),
            "interaction tokensExpired"
        ),
        MatchingCase(
            "claims asked for, and nothing to renew with",
            [.accessToken()],
            MatchingCase.query("user.read", options: TokenQueryOptions(claimsChallenge: #"{"a":1}"#)),
            "interaction claimsRequested"
        ),
        MatchingCase(
            "claims asked for of nobody",
            [],
            MatchingCase.query("user.read", options: TokenQueryOptions(claimsChallenge: #"{"a":1}"#)),
            "interaction accountUnknown"
        ),
        MatchingCase(
            "a renewal asked for, and nothing to renew with",
            [.accessToken()],
            MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true)),
            "interaction refreshTokenMissing"
        ),
        MatchingCase(
            "no token of the application",
            [],
            TokenQuery(applicationScopes: ["h/.default"], tenant: "utid"),
            "interaction applicationTokenMissing"
        ),
        MatchingCase(
            "an application's token that has ended",
            [.accessToken(scopes: "h/.default", account: nil, expiresOn: now)],
            TokenQuery(applicationScopes: ["h/.default"], tenant: "utid"),
            "interaction applicationTokenMissing"
        ),
        MatchingCase(
            "an application never spends a refresh token",
            [.accessToken(scopes: "h/.default", account: nil, expiresOn: now), .refreshToken(account: nil)],
            TokenQuery(applicationScopes: ["h/.default"], tenant: "utid"),
            "interaction applicationTokenMissing"
        ),
        MatchingCase(
            "nobody of that username",
            [.account()],
            TokenQuery(username: "bob@contoso.com", scopes: ["a"]),
            "interaction accountUnknown"
        ),
        MatchingCase(
            "several of that username",
            [.account(), .account(account: "x.y")],
            TokenQuery(username: "ann@contoso.com", scopes: ["a"]),
            "interaction severalAccounts"
        ),
    ]

    @Test("signed out goes before any other reason", arguments: [false, true])
    func signedOut(hasClaims: Bool) throws {
        let group = try TestGroup()
        try group.put(.account(), .accessToken(expiresOn: now))
        let cache = try group.cache()
        try cache.signOut(try #require(try cache.accounts(matching: .all).first))
        let query = MatchingCase.query(
            "user.read",
            options: TokenQueryOptions(claimsChallenge: hasClaims ? #"{"a":1}"# : nil)
        )
        #expect(try cache.token(for: query).summary() == "interaction signedOut")
    }

    @Test("an account without a home account id is asked for by its username, as id or as username")
    func namelessAccount() throws {
        let group = try TestGroup()
        try group.put(.account("Ann@Corp", account: nil))
        let cache = try group.cache()
        let account = try #require(try cache.accounts(matching: .all).first)
        let queries = [
            TokenQuery(account: account, scopes: ["a"]), TokenQuery(accountID: account.id, scopes: ["a"]),
            TokenQuery(username: "ann@corp", scopes: ["a"]),
        ]
        for query in queries {
            #expect(try cache.token(for: query).summary() == "interaction refreshTokenMissing")
        }
        try cache.signOut(account)
        for query in queries { #expect(try cache.token(for: query).summary() == "interaction signedOut") }
    }

    @Test(
        "an account without an id, or a token of ADAL, is not found by its username as an id if an account with an id has it",
        arguments: [false, true]
    )
    func namelessBesideNamed(isLegacy: Bool) throws {
        let group = try TestGroup()
        let query = TokenQuery(accountID: "ann@contoso.com", scopes: ["user.read"])
        let cache = try group.cache()
        if isLegacy { try group.takeLegacy(LegacyCache.item()) } else { try group.put(.account(account: nil)) }
        #expect(
            try cache.token(for: query).summary() == (isLegacy ? "renew adal-rt" : "interaction refreshTokenMissing")
        )
        try group.put(.account(), .accessToken())
        #expect(try cache.token(for: query).summary() == "interaction accountUnknown")
        let byName = TokenQuery(username: "ann@contoso.com", scopes: ["user.read"])
        #expect(try cache.token(for: byName).summary() == "valid at")
    }

    @Test("an account whose id was taken for a username is found by a query that was asked before")
    func accountAppears() throws {
        let group = try TestGroup()
        try group.put(.account("ann@corp", account: nil))
        let cache = try group.cache()
        let query = TokenQuery(accountID: "ann@corp", scopes: ["user.read"], environment: "idp.example.com")
        #expect(try cache.token(for: query).summary() == "interaction refreshTokenMissing")
        try group.put(.accessToken(account: "ann@corp", environment: "idp.example.com", realm: "r"))
        #expect(try cache.token(for: query).summary() == "valid at")
    }
}
