// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

private let missing = "interaction refreshTokenMissing"

@Suite("Values of stored entries are read for what they say")
struct StoredValueTests {
    private static func bound(_ type: String?) -> TestEntry {
        .accessToken().with("credential_type", "AccessToken_With_AuthScheme").with("token_type", type)
    }

    private static func query(type: String?) -> TokenQuery {
        MatchingCase.query("user.read", options: TokenQueryOptions(tokenType: type))
    }

    @Test("the token type decides, and the kind only where none is named", arguments: types)
    func type(rule: MatchingCase) throws { try rule.check() }

    static let types: [MatchingCase] = [
        MatchingCase("bearer, of the kind with a scheme", [bound("Bearer")], query(type: nil), "valid at"),
        MatchingCase("bearer is no pop token", [bound("bearer")], query(type: "pop"), missing),
        MatchingCase("no type, of the kind with a scheme", [bound(nil)], query(type: nil), missing),
        MatchingCase("a blank type, of the kind with a scheme", [bound(" ")], query(type: nil), missing),
        MatchingCase("no type is no pop token", [bound(nil)], query(type: "pop"), missing),
        MatchingCase("pop, of the kind with a scheme", [bound("pop")], query(type: "PoP"), "valid at"),
        MatchingCase(
            "bearer under Android's name",
            [bound(nil).with("access_token_type", "Bearer")],
            query(type: nil),
            "valid at"
        ),
        MatchingCase(
            "pop, of the plain kind",
            [.accessToken().with("token_type", "pop")],
            query(type: nil),
            missing
        ),
    ]

    /// JSON values in the place of a token that are none.
    private static let otherSecrets = [
        "\"\"", #"" \t""#, "null", #""x\ny""#, #""t\u00f6k""#, #""\ud800""#, "5", #"["at"]"#, "{}",
    ]

    @Test("a blank or missing secret is no token, nor is one that a token cannot be", arguments: otherSecrets)
    func blankSecret(secret: String) throws {
        let group = try TestGroup()
        func blank(_ entry: TestEntry) -> TestEntry { entry.with("secret", json: secret) }
        try group.put(
            .account(),
            blank(.accessToken().under("a")),
            blank(.refreshToken().under("r")),
            blank(.refreshToken(family: "1").under("f")),
            blank(.idToken().under("i"))
        )
        let cache = try group.cache()
        let query = MatchingCase.query("user.read")
        #expect(try cache.token(for: query).summary() == missing)
        #expect(try cache.idToken(for: query) == nil)
        #expect(try cache.accounts().isEmpty)
        #expect(try cache.accounts(matching: AccountFilter(includesSignedOut: true)).map(\.isSignedIn) == [false])
        let diagnosis = try cache.diagnosis(of: query)
        #expect(diagnosis.refreshToken == nil && diagnosis.nearestToken == nil)
        // It is the client's all the same.
        try cache.signOut(accountID: TestGroup.accountID)
        #expect(try group.entries().map(\.facts.kind) == [.account])
    }

    @Test("what is no token is replaced by the next sign-in", arguments: otherSecrets)
    func replacedBlank(secret: String) throws {
        let group = try TestGroup()
        try group.put(
            TestEntry.refreshToken().with("secret", json: secret).under("r"),
            TestEntry.accessToken().with("secret", json: secret).under("a")
        )
        let cache = try group.cache()
        try TestResponse.signIn().save(in: cache)
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid at")
        #expect(try group.entries().filter(\.facts.lacksToken).isEmpty)
    }

    @Test(
        "an account is found by the username of any of its tenant profiles",
        arguments: ["guest@fabrikam.com", "ANN@X.com"]
    )
    func profiles(username: String) throws {
        let group = try TestGroup()
        let profiles = #"""
            ["{\"tenantId\":\"t2\",\"username\":\"Guest@fabrikam.com\"}","{\"tenantId\":\"t3\",\"username\":\"ann@x.com\"}",
            "{\"tenantId\":\"t4\"}","junk"]
            """#
        try group.put(
            TestEntry.account().with("tenantProfiles", json: profiles),
            .accessToken("guest", realm: "t2"),
            .account("other@fabrikam.com", account: "x.y")
        )
        let cache = try group.cache()
        let query = TokenQuery(username: username, scopes: ["user.read"], tenant: "t2")
        for _ in 0..<2 { #expect(try cache.token(for: query).summary() == "valid guest") }
        let filter = AccountFilter(username: username, includesSignedOut: true)
        #expect(try cache.accounts(matching: filter).map(\.id) == [TestGroup.accountID])
        let part = TokenQuery(username: String(username.dropLast()), scopes: ["user.read"], tenant: "t2")
        #expect(try cache.token(for: part).summary() == "interaction accountUnknown")
    }

    @Test(
        "a word for the home tenant is the home tenant in lists",
        arguments: [
            ("organizations", "uid.t1", "t1"), ("Common", "uid.t1", "t1"), ("organizations", "sub", "organizations"),
            ("common", "uid.9188040d-6c67-4c5b-b112-36a304b66dad", "9188040d-6c67-4c5b-b112-36a304b66dad"),
            ("consumers", "uid.t1", "9188040d-6c67-4c5b-b112-36a304b66dad"),
        ]
    )
    func words(word: String, account: String, tenant: String) throws {
        let group = try TestGroup()
        try group.put(.account(account: account, realm: word).under("word"), .idToken(account: account, realm: word))
        let cache = try group.cache()
        let found = try #require(try cache.accounts(matching: AccountFilter(includesSignedOut: true)).first)
        #expect(found.tenantProfiles.map(\.tenant) == [tenant])
        #expect(try cache.claims(for: found.tenantProfiles[0]) != nil || word == "consumers")
        try group.put(.account(account: account, realm: tenant).under("id"))
        let again = try group.cache().accounts(matching: AccountFilter(includesSignedOut: true))
        #expect(again.map { $0.tenantProfiles.count } == [1])
    }

    @Test(
        "members that a library writes beside a token isolate nothing",
        arguments: [
            ("enrollment_id", #""e""#), ("redirect_uri", #""brk-multihub://app""#),
            ("persisted_cache_parameters", #"{"a": "b"}"#), ("wam_account_ids", #"{"client": "w"}"#),
        ]
    )
    func membersWithoutMeaning(name: String, json: String) throws {
        let query = MatchingCase.query("user.read")
        try MatchingCase("", [.accessToken().with(name, json: json)], query, "valid at").check()
    }

    @Test("a primary refresh token is never offered")
    func primaryRefreshToken() throws {
        let primary = TestEntry.refreshToken().with("credential_type", "PrimaryRefreshToken").with("session_key", "k")
        let query = MatchingCase.query("user.read")
        try MatchingCase("", [primary], query, "interaction refreshTokenMissing").check()
    }

    @Test("claims that are an empty object are none", arguments: ["{}", " { \n} "])
    func noClaims(claims: String) throws {
        let query = MatchingCase.query("user.read", options: TokenQueryOptions(claimsChallenge: claims))
        try MatchingCase("", [.accessToken()], query, "valid at").check()
    }

    @Test(
        "a query that names what cannot be fails, instead of asking the user to sign in",
        arguments: [
            (["a"], nil, "https://login.microsoftonline.com"), (["a"], nil, "login.microsoftonline.com/contoso.com"),
            (["a"], nil, "user@login.microsoftonline.com"), (["a"], nil, "login microsoftonline com"),
            (["a"], nil, "login..com"), (["a"], nil, ".com"), (["a"], nil, "h:port"), (["a"], nil, "h:"),
            (["a"], nil, "[::1"), (["a"], nil, String(repeating: "a", count: 64) + ".example"),
            (["a"], "https://login.microsoftonline.com/contoso.com", nil), (["a"], "contoso com", nil),
            (["a"], "contoso.com?x", nil), (["a"], "contoso#x", nil), (["a\u{0}"], nil, nil),
            (["\"User.Read\""], nil, nil),
            (["a\\b"], nil, nil), (["ok", "\u{7F}"], nil, nil),
        ] as [([String], String?, String?)]
    )
    func defects(scopes: [String], tenant: String?, environment: String?) throws {
        let cache = try TestGroup().cache()
        let query = TokenQuery(accountID: "u.t", scopes: scopes, tenant: tenant, environment: environment)
        for _ in 0..<2 {
            let error = #expect(throws: TokenCacheError.self) { try cache.token(for: query) }
            #expect(error?.code == .invalidRequest && error?.detail != nil)
        }
    }

    @Test(
        "hosts, tenants and scopes as they are found are answered",
        arguments: [
            (["https://graph.microsoft.com//.default", "a b"], nil, " login.microsoftonline.com "),
            (["api://x/y", "urn:a,b;c"], "realms/main", "idp.example:8443"), (["a"], "", "localhost"),
            (["a"], nil, "www." + String(repeating: "a", count: 63) + ".example"),
            (["a"], "contoso.onmicrosoft.com", "[::1]:443"), (["a"], "tfp/t/b2c_1_x", "xn--bcher-kva.example"),
        ] as [([String], String?, String?)]
    )
    func noDefects(scopes: [String], tenant: String?, environment: String?) throws {
        let cache = try TestGroup().cache()
        let query = TokenQuery(accountID: "u.t", scopes: scopes, tenant: tenant, environment: environment)
        #expect(try cache.token(for: query).summary() == "interaction accountUnknown")
    }
}
