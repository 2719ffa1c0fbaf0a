// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Whose a token without a home account id is")
struct NamelessTokenTests {
    private static let host = "login.windows.net"

    private static func token(_ scopes: String, _ secret: String = "at", realm: String = "utid") -> TestEntry {
        .accessToken(secret, scopes: scopes, account: nil, environment: host, realm: realm)
    }

    private static let application = TokenQuery(applicationScopes: ["user.read"], tenant: "utid")
    private static let none = "interaction applicationTokenMissing"

    private static let idToken = TestEntry(
        .idToken,
        [
            ("credential_type", "IdToken"), ("secret", "e30.e30.x"), ("environment", "login.microsoft.com"),
            ("client_id", TestGroup.client), ("realm", "another"),
        ]
    )

    static let cases: [MatchingCase] = [
        MatchingCase("an application's", [token("user.read")], application, "valid at"),
        MatchingCase(
            "an application's with what Keycloak grants",
            [token("user.read profile email")],
            application,
            "valid at"
        ),
        MatchingCase("a person's who was identified", [token("user.read OpenID profile")], application, none),
        MatchingCase("a person's who stays signed in", [token("user.read offline_access")], application, none),
        MatchingCase(
            "a person's beside a refresh token",
            [token("user.read"), .refreshToken(account: nil)],
            application,
            none
        ),
        MatchingCase(
            "a person's beside an id token of another tenant",
            [token("user.read"), idToken],
            application,
            none
        ),
        MatchingCase(
            "a person's beside an account that has no id either",
            [token("user.read"), .account(account: nil, environment: "sts.windows.net")],
            application,
            none
        ),
        MatchingCase(
            "an application's beside what people have under their ids",
            [token("user.read"), .refreshToken(), .account(), .accessToken("user's")],
            application,
            "valid at"
        ),
        MatchingCase(
            "an application's beside what a person has of another application",
            [token("user.read"), .refreshToken(client: "client-b", account: nil)],
            application,
            "valid at"
        ),
        MatchingCase(
            "an application's beside what a person has in another cloud",
            [token("user.read"), .refreshToken(account: nil, environment: "login.microsoftonline.us")],
            application,
            "valid at"
        ),
        MatchingCase(
            "an application's where it says so, whatever was granted and stands beside it",
            [token("user.read openid").with("application_token", json: "true"), .refreshToken(account: nil)],
            application,
            "valid at"
        ),
        MatchingCase(
            "the application's is chosen beside a person's that lives longer",
            [
                token("user.read", "own").with("application_token", json: "true"),
                .accessToken(
                    "person's",
                    scopes: "user.read",
                    account: nil,
                    environment: host,
                    expiresOn: TestEntry.start + 9_000
                ),
                .refreshToken(account: nil),
            ],
            application,
            "valid own"
        ),
    ]

    @Test("is decided by what it says and what stands beside it", arguments: cases)
    func owner(_ rule: MatchingCase) throws { try rule.check() }

    @Test("is decided anew when a person's entry appears")
    func appears() throws {
        let group = try TestGroup()
        try group.put([Self.token("user.read")])
        let cache = try group.cache()
        let query = TokenQuery(applicationScopes: ["user.read"], tenant: "utid")
        #expect(try cache.token(for: query).summary() == "valid at")
        try group.put([.account(account: nil)])
        #expect(try cache.token(for: query).summary() == Self.none)
        try group.remove(.account(account: nil))
        #expect(try cache.token(for: query).summary() == "valid at")
    }

    @Test(
        "of an account without an id, a sign-out removes the client's tokens and a wipe every client's, but none of an application itself",
        arguments: [false, true]
    )
    func signOut(isWipe: Bool) throws {
        let group = try TestGroup()
        try group.put([
            .account(account: nil), .refreshToken("person's refresh token", account: nil),
            Self.token("user.read", "person's"),
            Self.token("user.read", "person's of another tenant", realm: "other"),
            Self.token("mail.read", "own").with("application_token", json: "true"),
            Self.token("chat.read", "on behalf").with("user_assertion_hash", "h"),
            .refreshToken("other cloud", account: nil, environment: "login.microsoftonline.us"),
            .refreshToken("other client", client: "client-b", account: nil),
            .accessToken("other account"),
        ])
        let cache = try group.cache()
        if isWipe {
            try cache.wipe(accountID: "ann@contoso.com")
        } else {
            try cache.signOut(accountID: "ann@contoso.com")
        }
        let left = try group.secrets { $0.isCredential }
        let othersToo: Set = ["own", "on behalf", "other cloud", "other account"]
        #expect(Set(left) == (isWipe ? othersToo : othersToo.union(["other client"])))
    }

    @Test("a sign-out of an account with an id leaves the tokens that name no account")
    func signOutOfNamed() throws {
        let group = try TestGroup()
        try group.put([
            .account(), .refreshToken("named"), .refreshToken("unnamed", account: nil), Self.token("user.read"),
        ])
        try group.cache().signOut(accountID: Account.ID(TestGroup.account))
        #expect(Set(try group.secrets { $0.isCredential }) == ["unnamed", "at"])
    }

    @Test(
        "with an account's last entry without an id go the access tokens that it showed to be a person's",
        arguments: [
            TestEntry.refreshToken("by name", account: nil).with("username", "ann@contoso.com"),
            idToken.with("username", "ann@contoso.com"),
        ]
    )
    func witnesses(_ witness: TestEntry) throws {
        for signsOut in [true, false] {
            let group = try TestGroup()
            try group.put([.account(), .refreshToken("named"), witness, Self.token("user.read")])
            let cache = try group.cache()
            #expect(try cache.token(for: Self.application).summary() == Self.none)
            let account = try #require(try cache.accounts().first)
            if signsOut { try cache.signOut(account) } else { try cache.wipe(account) }
            #expect(try cache.token(for: Self.application).summary() == Self.none)
            #expect(try group.secrets { $0.isCredential } == [])
        }
    }

    @Test("an application's token signs nobody in to an account without an id and a username")
    func signedIn() throws {
        let group = try TestGroup()
        let account = TestEntry(
            .account,
            [
                ("environment", Self.host), ("realm", "utid"), ("client_id", TestGroup.client),
                ("local_account_id", "local"), ("authority_type", "MSSTS"),
            ]
        )
        try group.put([account, Self.token("user.read").with("application_token", json: "true")])
        #expect(try group.cache().accounts(matching: .all).map(\.isSignedIn) == [false])
        try group.put([Self.token("mail.read", "person's")])
        #expect(try group.cache().accounts(matching: .all).map(\.isSignedIn) == [true])
    }

    @Test("a token obtained on behalf of a user is found by the assertion only")
    func onBehalf() throws {
        let group = try TestGroup()
        try group.put([Self.token("user.read openid").with("user_assertion_hash", "h"), .refreshToken(account: nil)])
        let cache = try group.cache()
        #expect(try cache.token(for: Self.application).summary() == Self.none)
        var options = TokenQueryOptions()
        options.userAssertion = UserAssertionHash(hash: "h")
        let query = TokenQuery(applicationScopes: ["user.read"], tenant: "utid", options: options)
        #expect(try cache.token(for: query).summary() == "valid at")
    }

    @Test("a token that was saved for an application is the application's, even with openid granted")
    func saved() throws {
        let group = try TestGroup()
        try group.put([.refreshToken(account: nil)])
        let cache = try group.cache()
        let request = TokenRequest(environment: Self.host, tenant: "utid", scopes: ["user.read"], grant: .application)
        let body = #"{"access_token":"own","expires_in":3600,"scope":"user.read openid"}"#
        try cache.save(try TokenResponse(json: Array(body.utf8)), for: request)
        #expect(
            try cache.token(for: TokenQuery(applicationScopes: ["user.read"], tenant: "utid")).summary() == "valid own"
        )
        let entry = try #require(try group.entries().first { $0.token == "own" })
        #expect(entry.fields.isOfApplication)
    }
}
