// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

private let miss = "interaction refreshTokenMissing"

@Suite("The right refresh token is redeemed")
struct RefreshTokenChoiceTests {
    @Test("own ones first, then the family's; newest first", arguments: choiceRules)
    func choice(rule: MatchingCase) throws { try rule.check() }

    static let choiceRules: [MatchingCase] = [
        MatchingCase("own", [.refreshToken()], MatchingCase.query("a"), "renew rt"),
        MatchingCase("own, whatever the tenant", [.refreshToken()], MatchingCase.query("a", tenant: "g"), "renew rt"),
        MatchingCase(
            "under an alias",
            [.refreshToken(environment: "sts.windows.net")],
            MatchingCase.query("a"),
            "renew rt"
        ),
        MatchingCase(
            "never of another cloud",
            [.refreshToken(environment: "login.microsoftonline.de")],
            MatchingCase.query("a"),
            miss
        ),
        MatchingCase("of another client", [.refreshToken(client: "other")], MatchingCase.query("a"), miss),
        MatchingCase(
            "own one before the family's",
            [.refreshToken("family", client: "other", family: "1"), .refreshToken("own")],
            MatchingCase.query("a"),
            "renew own"
        ),
        MatchingCase(
            "own one with a family",
            [.refreshToken(family: "1"), .appMetadata(family: "")],
            MatchingCase.query("a"),
            "renew rt"
        ),
        MatchingCase(
            "family, nothing known of the client: the family 1 is tried",
            [.refreshToken(client: "other", family: "1")],
            MatchingCase.query("a"),
            "renew rt"
        ),
        MatchingCase(
            "family, nothing known of the client: no other family is tried",
            [.refreshToken(client: "other", family: "2")],
            MatchingCase.query("a"),
            miss
        ),
        MatchingCase(
            "family of the client",
            [.refreshToken(client: "other", family: "2"), .appMetadata(family: "2")],
            MatchingCase.query("a"),
            "renew rt"
        ),
        MatchingCase(
            "another family than the client's",
            [.refreshToken(client: "other", family: "1"), .appMetadata(family: "2")],
            MatchingCase.query("a"),
            miss
        ),
        MatchingCase(
            "client in no family: blank",
            [.refreshToken(client: "other", family: "1"), .appMetadata(family: "")],
            MatchingCase.query("a"),
            miss
        ),
        MatchingCase(
            "client in no family: left out",
            [.refreshToken(client: "other", family: "1"), .appMetadata(family: nil)],
            MatchingCase.query("a"),
            miss
        ),
        MatchingCase(
            "what is known of the client under an alias counts",
            [.refreshToken(client: "other", family: "1"), .appMetadata(environment: "login.windows.net", family: "")],
            MatchingCase.query("a"),
            miss
        ),
        MatchingCase(
            "what is known of the client in another cloud does not",
            [
                .refreshToken(client: "other", family: "1"),
                .appMetadata(environment: "login.microsoftonline.us", family: ""),
            ],
            MatchingCase.query("a"),
            "renew rt"
        ),
        MatchingCase(
            "what is known of another client does not",
            [.refreshToken(client: "other", family: "1"), .appMetadata(client: "other", family: "")],
            MatchingCase.query("a"),
            "renew rt"
        ),
        MatchingCase(
            "newest by the time it was cached",
            [
                TestEntry.refreshToken("new").with("cached_at", "200"),
                TestEntry.refreshToken("old").with("cached_at", "100"),
            ],
            MatchingCase.query("a"),
            "renew new"
        ),
        MatchingCase(
            "newest by the time it was changed",
            [
                TestEntry.refreshToken("new").with("last_modification_time", "200.5"),
                TestEntry.refreshToken("old").with("last_modification_time", "100"),
            ],
            MatchingCase.query("a"),
            "renew new"
        ),
        MatchingCase(
            "newest by the fraction of a second in which it was changed",
            [
                TestEntry.refreshToken("new").with("last_modification_time", "200.75"),
                TestEntry.refreshToken("old").with("last_modification_time", "200.25"),
            ],
            MatchingCase.query("a"),
            "renew new"
        ),
        MatchingCase(
            "kept apart by an assertion",
            [TestEntry.refreshToken().with("user_assertion_hash", "x")],
            MatchingCase.query("a"),
            miss
        ),
        MatchingCase(
            "bound to a device",
            [TestEntry.refreshToken().with("credential_type", "BoundRefreshToken").with("bound_device_id", "d")],
            MatchingCase.query("a"),
            miss
        ),
        MatchingCase(
            "other issuers: of the realm",
            [TestEntry.refreshToken(environment: "idp.example.com").with("realm", "r")],
            MatchingCase.query("a", tenant: "r", environment: "idp.example.com"),
            "renew rt"
        ),
        MatchingCase(
            "other issuers: not of another realm",
            [TestEntry.refreshToken(environment: "idp.example.com").with("realm", "r")],
            MatchingCase.query("a", tenant: "s", environment: "idp.example.com"),
            miss
        ),
        MatchingCase(
            "other issuers: of any realm when none is named, whatever follows a dot in the account's id",
            [TestEntry.refreshToken(account: "ann@example.com", environment: "idp.example.com").with("realm", "r")],
            MatchingCase.query("a", account: "ann@example.com", tenant: nil, environment: "idp.example.com"),
            "renew rt"
        ),
        MatchingCase(
            "other issuers: without a realm",
            [TestEntry.refreshToken(environment: "idp.example.com")],
            MatchingCase.query("a", tenant: "s", environment: "idp.example.com"),
            "renew rt"
        ),
        MatchingCase(
            "nothing of the account",
            [.refreshToken(account: "x.y")],
            MatchingCase.query("a"),
            "interaction accountUnknown"
        ),
    ]

    @Test("without times, the entry stored later takes precedence")
    func commitOrder() throws {
        let group = try TestGroup()
        try group.put(TestEntry.refreshToken("old").under("1"))
        try group.put(TestEntry.refreshToken("new").under("2"))
        #expect(try group.cache().token(for: MatchingCase.query("a")).summary() == "renew new")
    }

    @Test("a valid token is passed over, and returned as well", arguments: bypasseRules)
    func bypass(rule: MatchingCase) throws { try rule.check() }

    static let bypasseRules: [MatchingCase] = [
        MatchingCase(
            "forced",
            [.accessToken(), .refreshToken()],
            MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true)),
            "renew rt beside at"
        ),
        MatchingCase(
            "forced without a refresh token",
            [.accessToken()],
            MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true)),
            miss
        ),
        MatchingCase(
            "claims: the token that was refused does not come along",
            [.accessToken(), .refreshToken()],
            MatchingCase.query("user.read", options: TokenQueryOptions(claimsChallenge: #"{"a":1}"#)),
            "renew rt"
        ),
        MatchingCase(
            "blank claims are none",
            [.accessToken(), .refreshToken()],
            MatchingCase.query("user.read", options: TokenQueryOptions(claimsChallenge: " ")),
            "valid at"
        ),
    ]

    @Test("the token of another family member says whose it is")
    func familyToken() throws {
        let group = try TestGroup()
        try group.put(.refreshToken(client: "Other", family: "1"))
        guard case .renew(let token, nil) = try group.cache().token(for: MatchingCase.query("a")) else {
            throw Unexpected()
        }
        #expect(token.clientID == "other")
        #expect(token.familyID == "1")
        #expect(token.accountID == TestGroup.accountID)
        #expect(token.environment == "login.microsoftonline.com")
    }

    @Test("an imported refresh token that has ended is not offered")
    func ended() throws {
        let group = try TestGroup()
        let now = group.clock.now
        try group.put(
            TestEntry.refreshToken("own").with("expires_on", String(now + 100)),
            TestEntry.refreshToken("family", client: "other", family: "1").with("expires_on", String(now + 200))
        )
        let cache = try group.cache()
        let query = MatchingCase.query("a")
        #expect(try cache.token(for: query).summary() == "renew own")
        group.clock.advance(by: 100)
        #expect(try cache.token(for: query).summary() == "renew family")
        group.clock.advance(by: 100)
        #expect(try cache.token(for: query).summary() == miss)
    }

    @Test("an end that says nothing keeps no refresh token back", arguments: ["0", "-1", "", "soon", "1700000000000"])
    func noEnd(text: String) throws {
        let group = try TestGroup()
        try group.put(TestEntry.refreshToken().with("expires_on", text))
        #expect(try group.cache().token(for: MatchingCase.query("a")).summary() == "renew rt")
    }

    @Test("new metadata about a client changes its next lookup")
    func metadataChanges() throws {
        let group = try TestGroup()
        try group.put(.refreshToken(client: "other", family: "1"))
        let cache = try group.cache()
        let query = MatchingCase.query("a")
        #expect(try cache.token(for: query).summary() == "renew rt")
        try group.put(.appMetadata(family: ""))
        #expect(try cache.token(for: query).summary() == miss)
    }
}
