// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A wrong member of a token response affects no other")
struct ImproperResponseTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func fields(_ kind: EntryKind) throws -> CredentialFields {
        try #require(try group.entries().first { $0.facts.kind == kind }).fields
    }

    static let idTokens: [(String, String)] = [
        ("no parts", "id"),
        ("two parts", "a.b"),
        ("four parts", "a.b.c.d"),
        ("no base64", "a.%%%.c"),
        ("a length that no bytes have", "a.AAAAA.c"),
        ("no JSON", "a.AAAA.c"),
        ("no object", "a." + "W10" + ".c"),
        ("a member twice", "a.eyJhIjoxLCJhIjoyfQ.c"),
        ("a megabyte", "a." + String(repeating: "A", count: 1_000_000) + ".c"),
    ]

    @Test("an id token that cannot be read is kept, and so are the tokens", arguments: 0..<idTokens.count)
    func idToken(index: Int) throws {
        let (rule, token) = Self.idTokens[index]
        try TestResponse.signIn().with("id_token", token).save(in: cache)
        #expect(try group.entries().first { $0.facts.kind == .idToken }?.token == token, Comment(rawValue: rule))
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid at")
        #expect(try cache.accounts().map(\.id) == ["uid.utid"])
    }

    @Test("claims that are not text are ignored, the others are used")
    func claims() throws {
        let token = TestResponse.idToken(["tid": "T", "oid": 5, "sub": "s", "preferred_username": ["x"], "name": "Ann"])
        let account = try TestResponse.signIn().with("id_token", token).save(in: cache)
        #expect(account?.tenantProfiles.first?.tenant == "T")
        #expect(account?.tenantProfiles.first?.localAccountID == "s")
        #expect(account?.tenantProfiles.first?.name == "Ann")
        #expect(account != nil && account?.username == nil)
    }

    static let clientInfos: [(String, any Sendable)] = [
        ("no base64", "%%%"),
        ("no JSON", "AAAA"),
        ("no uid", TestResponse.base64URL(["utid": "utid"])),
        ("blank uid", TestResponse.base64URL(["uid": " ", "utid": "utid"])),
        ("uid is no text", TestResponse.base64URL(["uid": 5, "utid": "utid"])),
        ("no text", 5),
        ("a megabyte", String(repeating: "A", count: 1_000_000)),
    ]

    @Test(
        "a client_info that cannot be read does not matter where the account is named",
        arguments: 0..<clientInfos.count
    )
    func clientInfo(index: Int) throws {
        let (rule, info) = Self.clientInfos[index]
        try TestResponse.signIn().with("client_info", info).asked { $0.accountID = "uid.utid" }.save(in: cache)
        #expect(try cache.accounts().map(\.id) == ["uid.utid"], Comment(rawValue: rule))
        #expect(try group.entries().allSatisfy { !$0.facts.has(.clientInfo) })
    }

    @Test("a megabyte of claims or of client_info that can be read counts like any other")
    func hugeClaims() throws {
        let filler = String(repeating: "x", count: 700_000)
        let token = TestResponse.idToken(TestResponse.defaultClaims.merging(["filler": filler]) { $1 })
        try TestResponse.signIn().with("id_token", token).save(in: cache)
        #expect(try cache.accounts().first?.username == "Ann@Contoso.com")
        let info = TestResponse.base64URL(["uid": "uid", "utid": "utid", "filler": filler])
        try TestResponse.signIn(accessToken: "new").with("client_info", info).save(in: cache)
        #expect(try cache.accounts().map(\.id) == ["uid.utid"])
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid new")
    }

    @Test(
        "without a client_info that can be read, and without a name, the subject is the account",
        arguments: 0..<clientInfos.count
    )
    func clientInfoOfNobody(index: Int) throws {
        #expect(
            try TestResponse.signIn().with("client_info", Self.clientInfos[index].1).save(in: cache)?.id == "subject"
        )
    }

    /// What `expires_in` says, and how long the token lives.
    static let lifetimes: [((any Sendable)?, Int64)] = [
        ("3600", 3600), (" 60 ", 60), (59.9, 59), ("1e3", 1000), ("soon", 3600), (true, 3600), ([5], 3600), (-5, 3600),
        (0, 3600), (Int64.min, 3600), (Int64.max, 3600), ("1e300", 3600), ("", 3600), (nil, 3600),
    ]

    @Test("lifetimes of every form", arguments: 0..<lifetimes.count)
    func lifetime(index: Int) throws {
        let (value, lifetime) = Self.lifetimes[index]
        try TestResponse.signIn().with("expires_in", value).with("ext_expires_in", value).with("refresh_in", value)
            .save(in: cache)
        let fields = try fields(.accessToken)
        #expect(fields.expiresOn == TestEntry.start + lifetime)
        let isSaid = lifetime != 3600 || value as? String == "3600"
        #expect(fields.refreshOn == nil, "a renewal is due before the end, or at no time")
        #expect(fields.extendedExpiresOn == (isSaid ? TestEntry.start + lifetime : nil))
    }

    @Test("a lifetime beyond all time is an hour: of 1,000 silent requests in two hours one renews")
    func endless() throws {
        let response = TestResponse.signIn().with("expires_in", Int64.max)
        try response.save(in: cache)
        #expect(try fields(.accessToken).expiresOn == TestEntry.start + 3600)
        var renewals = 0
        for _ in 0..<1000 {
            group.clock.advance(by: 6)
            _ = try cache.renewSynchronously(MatchingCase.query("user.read")) { _ in
                renewals += 1
                return .response(try TokenResponse(json: response.body))
            }
        }
        #expect(renewals == 1)
    }

    @Test(
        "control characters in scopes are kept and are not white space",
        arguments: ["\u{0}", "\u{1}", "\u{1b}", "\u{7f}"]
    )
    func controlCharacters(character: String) throws {
        try TestResponse.signIn(scope: "User.Read a\(character)b").save(in: cache)
        #expect(try fields(.accessToken).target?.scopes.map(\.string) == ["User.Read", "a\(character)b"])
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid at")
    }

    @Test("scopes divided by tabs and line ends are several", arguments: ["\t", "\n", "\r\n"])
    func whiteSpace(separator: String) throws {
        try TestResponse.signIn(scope: "User.Read\(separator)Mail.Read").save(in: cache)
        let query = TokenQuery(accountID: TestGroup.accountID, scopes: ["user.read", "mail.read"])
        #expect(try cache.token(for: query).summary() == "valid at")
    }

    @Test(
        "scopes may be none, many times the same, and 100 kB of them",
        arguments: [
            "", "   ", "User.Read User.Read USER.READ", "User.Read " + String(repeating: "x.y ", count: 25_000),
        ]
    )
    func absurdScopes(scope: String) throws {
        try TestResponse.signIn(scope: scope).save(in: cache)
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid at")
        try TestResponse.signIn(accessToken: "new", scope: "user.read").save(in: cache)
        #expect(try group.entries().count { $0.fields.kind == .accessToken } == 1)
    }

    @Test("an invalid tenant in an id token is the realm, and not noted")
    func absurdTenant() throws {
        for tenant in [String(repeating: "t", count: 10_000), "common", "consumers"] {
            let claims = ["tid": tenant, "oid": "o", "sub": "s"]
            try TestResponse.signIn(accessToken: tenant, claims: claims, tenant: "contoso.com").save(in: cache)
            #expect(
                try cache.token(for: MatchingCase.query("user.read", tenant: tenant)).summary() == "valid " + tenant
            )
        }
        let query = MatchingCase.query("user.read", tenant: "contoso.com")
        #expect(try cache.token(for: query).summary() == "renew rt")
    }

    @Test("a response over a megabyte is refused, and one of nearly that size is saved")
    func size() throws {
        let large = String(repeating: "x", count: 900_000)
        try TestResponse.signIn(accessToken: large).save(in: cache)
        #expect(try group.entries().contains { $0.token == large })
        let error = #expect(throws: TokenCacheError.self) {
            try TestResponse.signIn().with("padding", String(repeating: "x", count: 1 << 20)).save(in: cache)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test("an account entry without authority_type is kept and gets one")
    func authorityType() throws {
        try group.put(TestEntry.account().with("authority_type", nil).with("wild", "x"))
        try TestResponse.signIn().save(in: cache)
        let accounts = try group.entries().filter { $0.facts.kind == .account }
        #expect(accounts.count == 1)
        #expect(accounts[0].facts.text(.authorityType) == "MSSTS")
    }

    @Test("times of stored entries may be floats: the one that is newest is spent")
    func floats() throws {
        try group.put(
            TestEntry.refreshToken("old").with("last_modification_time", json: "1562842351.202").under("1"),
            TestEntry.refreshToken("new").with("last_modification_time", "1562842352.9").under("2")
        )
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "renew new")
    }

    /// What is left out of a response, and which kinds of entries the rest becomes.
    static let parts: [(String, @Sendable (TestResponse) -> TestResponse, Set<EntryKind>)] = [
        ("id_token", { $0.with("id_token", nil) }, [.accessToken, .refreshToken, .account, .appMetadata]),
        ("refresh_token", { $0.with("refresh_token", nil) }, [.accessToken, .idToken, .account]),
        ("access_token", { $0.with("access_token", nil) }, [.refreshToken, .idToken, .account, .appMetadata]),
        (
            "all but the refresh token",
            { $0.with("access_token", nil).with("id_token", nil).with("client_info", nil) },
            [.refreshToken, .account, .appMetadata]
        ),
        ("an empty one is none", { $0.with("refresh_token", "") }, [.accessToken, .idToken, .account]),
    ]

    @Test("exactly the members of a response are stored", arguments: 0..<parts.count)
    func partial(index: Int) throws {
        let (rule, leave, kinds) = Self.parts[index]
        try leave(TestResponse.signIn().asked { $0.accountID = TestGroup.accountID }).save(in: cache)
        #expect(Set(try group.entries().map(\.facts.kind)) == kinds, Comment(rawValue: rule))
    }

    @Test("a renewal that brings an access token alone leaves the refresh token and the account as they were")
    func accessTokenAlone() throws {
        try TestResponse.signIn().save(in: cache)
        let before = Set(try group.entries().filter { $0.facts.kind != .accessToken }.map(\.facts))
        try TestResponse.signIn(accessToken: "new", refreshToken: nil, claims: nil, clientInfo: nil).renewal.save(
            in: cache
        )
        #expect(Set(try group.entries().filter { $0.facts.kind != .accessToken }.map(\.facts)) == before)
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid new")
    }
}
