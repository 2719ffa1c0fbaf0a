// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A save takes the place of the same credential, and of nothing else")
struct ReplacementTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func tokens(_ kind: EntryKind...) throws -> [String] {
        try group.entries().filter { kind.contains($0.facts.kind) }.compactMap(\.token).sorted()
    }

    /// What is stored, and whether a saved access token for "User.Read openid profile" in the home tenant replaces it.
    static let accessTokens: [(String, TestEntry, Bool)] = [
        ("same", .accessToken("old"), true),
        ("one scope in common", .accessToken("old", scopes: "a USER.READ b"), true),
        ("no scope in common", .accessToken("old", scopes: "Mail.Read"), false),
        ("reserved scopes in common do not count", .accessToken("old", scopes: "Mail.Read openid profile"), false),
        ("alias", .accessToken("old", environment: "sts.windows.net"), true),
        ("other cloud", .accessToken("old", environment: "login.microsoftonline.us"), false),
        ("a word for the same tenant", .accessToken("old", realm: "common"), true),
        ("other tenant", .accessToken("old", realm: "guest"), false),
        ("other client", .accessToken("old", client: "other"), false),
        ("other account", .accessToken("old", account: "x.y"), false),
        ("account in other case", .accessToken("old", account: "UID.utid"), true),
        ("bound to a key", TestEntry.accessToken("old").with("token_type", "pop").with("kid", "K"), false),
        ("kept apart by claims", TestEntry.accessToken("old").with("requested_claims", "{}"), false),
        ("kept apart by an extended key", TestEntry.accessToken("old").with("ext_cache_key", "x"), false),
    ]

    @Test("access tokens with a scope in common go", arguments: 0..<accessTokens.count)
    func accessToken(index: Int) throws {
        let (rule, entry, isReplaced) = Self.accessTokens[index]
        try group.put(entry)
        try TestResponse.signIn(accessToken: "new").save(in: cache)
        #expect(try tokens(.accessToken) == (isReplaced ? ["new"] : ["new", "old"]), Comment(rawValue: rule))
    }

    @Test("an access token that replaces several takes the place of all, under any key")
    func severalSpellings() throws {
        try group.put(
            TestEntry.accessToken("1").under("one"),
            TestEntry.accessToken("2").under("two"),
            TestEntry.accessToken("3", environment: "login.windows.net").under("three")
        )
        try TestResponse.signIn(accessToken: "new").save(in: cache)
        #expect(try tokens(.accessToken) == ["new"])
    }

    /// What is stored, the family of the saved token, and whether it replaces what is stored.
    static let refreshTokens: [(String, TestEntry, String?, Bool)] = [
        ("own", .refreshToken("old"), nil, true),
        ("own, under an alias", .refreshToken("old", environment: "login.windows.net"), nil, true),
        ("own, with a target", TestEntry.refreshToken("old").with("target", "a b"), nil, true),
        ("other client", .refreshToken("old", client: "other"), nil, false),
        ("family of another client by a plain one", .refreshToken("old", client: "other", family: "1"), nil, false),
        ("own family one by a plain one", .refreshToken("old", family: "1"), nil, false),
        ("family by family", .refreshToken("old", client: "other", family: "1"), "1", true),
        (
            "family token of its own kind, which does not say its family",
            TestEntry.refreshToken("old", client: "other").with("credential_type", "FamilyRefreshToken"), "1", true
        ),
        ("other family", .refreshToken("old", client: "other", family: "2"), "1", false),
        ("own plain one by family", .refreshToken("old"), "1", true),
        ("other client's plain one by family", .refreshToken("old", client: "other"), "1", false),
        ("other cloud", .refreshToken("old", environment: "login.microsoftonline.de"), nil, false),
        ("kept apart", TestEntry.refreshToken("old").with("user_assertion_hash", "x"), nil, false),
        (
            "bound to a device",
            TestEntry.refreshToken("old").with("credential_type", "BoundRefreshToken").with("bound_device_id", "d"),
            nil,
            false
        ),
    ]

    @Test("refresh tokens of the same client or family go", arguments: 0..<refreshTokens.count)
    func refreshToken(index: Int) throws {
        let (rule, entry, family, isReplaced) = Self.refreshTokens[index]
        try group.put(entry)
        try TestResponse.signIn(refreshToken: "new", family: family).save(in: cache)
        #expect(
            try tokens(.refreshToken, .boundRefreshToken, .familyRefreshToken)
                == (isReplaced ? ["new"] : ["new", "old"]),
            Comment(rawValue: rule)
        )
    }

    @Test("the id token of the same tenant goes, the one of another stays")
    func idTokens() throws {
        try group.put(.idToken(), .idToken(realm: "guest"), .idToken(client: "other"))
        try TestResponse.signIn().save(in: cache)
        #expect(try group.entries().filter { $0.facts.kind == .idToken }.count == 3)
        #expect(try tokens(.idToken).filter { $0 == "h.e30.s" }.count == 2)
    }

    @Test("a replacement keeps the form of the library that wrote the newest entry")
    func format() throws {
        let python = "uid.utid-login.microsoftonline.com-accesstoken-client-a-utid-user.read"
        try group.put(
            TestEntry.accessToken("old", scopes: "user.read").with("token_type", "Bearer").with("key_id", nil).under(
                python
            )
        )
        try TestResponse.signIn(accessToken: "new", scope: "user.read openid").save(in: cache)
        let entry = try #require(try group.entries().first { $0.token == "new" })
        // Sorted, and with its token type, as MSAL Python writes it.
        #expect(entry.key == "uid.utid-login.windows.net-accesstoken-client-a-utid-openid user.read")
        #expect(entry.facts.text(.tokenType) == "Bearer")
    }

    @Test("an account's unknown members survive a save")
    func accountMerge() throws {
        try group.put(TestEntry.account("old@contoso.com").with("wild", json: #"{"x":[1]}"#).under("k"))
        try TestResponse.signIn().save(in: cache)
        let accounts = try group.entries().filter { $0.facts.kind == .account }
        #expect(accounts.count == 1)
        #expect(accounts[0].facts.text(.username) == "Ann@Contoso.com")
        #expect(String(decoding: accounts[0].facts.encoded(), as: UTF8.self).contains(#"{"x":[1]}"#))
    }

    @Test("a renewal without claims changes nothing in the account")
    func accountUntouched() throws {
        try TestResponse.signIn().save(in: cache)
        let before = try group.entries().first { $0.facts.kind == .account }?.facts
        try TestResponse.signIn(claims: nil, clientInfo: nil).renewal.save(in: cache)
        #expect(try group.entries().first { $0.facts.kind == .account }?.facts == before)
    }

    @Test("app metadata keeps its unknown members, and is written only when the family changes")
    func appMetadata() throws {
        try group.put(TestEntry.appMetadata(family: "1").with("wild", "x").under("k"))
        try TestResponse.signIn(family: "1").save(in: cache)
        var metadata = try group.entries().filter { $0.facts.kind == .appMetadata }
        #expect(metadata.map(\.key) == ["k"])
        try TestResponse.signIn(family: nil).save(in: cache)
        metadata = try group.entries().filter { $0.facts.kind == .appMetadata }
        #expect(metadata.count == 1)
        #expect(metadata[0].fields.familyID == nil)
        #expect(String(decoding: metadata[0].facts.encoded(), as: UTF8.self).contains("wild"))
    }

    @Test("a response without a refresh token says nothing of families")
    func noFamilyWord() throws {
        try TestResponse.signIn(refreshToken: nil).save(in: cache)
        #expect(try group.entries().allSatisfy { $0.facts.kind != .appMetadata })
        try TestResponse.signIn(family: "1").save(in: cache)
        try TestResponse.signIn(refreshToken: nil).renewal.save(in: cache)
        #expect(try group.entries().first { $0.facts.kind == .appMetadata }?.fields.familyID == "1")
    }

    @Test("a family whose number is a number counts the same")
    func numericFamily() throws {
        try TestResponse.signIn().with("foci", 1).save(in: cache)
        #expect(try group.entries().first { $0.facts.kind == .refreshToken }?.fields.familyID == "1")
    }

    @Test("the client's access tokens of the account that have ended go; others' and those kept apart stay")
    func purge() throws {
        let past = TestEntry.start - 1
        try group.put(
            .accessToken("ended", scopes: "x", expiresOn: past),
            .accessToken("ended of other client", scopes: "x", client: "other", expiresOn: past),
            TestEntry.accessToken("extended", scopes: "x", realm: "g", expiresOn: past)
                .with("extended_expires_on", "\(past + 100)"),
            TestEntry.accessToken("ended, kept apart", scopes: "x", expiresOn: past).with("requested_claims", "{}"),
            .accessToken("other account", scopes: "x", account: "x.y", expiresOn: past),
            TestEntry.accessToken("without end", scopes: "y").with("expires_on", nil)
        )
        try TestResponse.signIn(accessToken: "new").save(in: cache)
        #expect(
            try tokens(.accessToken) == [
                "ended of other client", "ended, kept apart", "extended", "new", "other account", "without end",
            ]
        )
    }

    private func saveBound(_ token: String, keyID: String) throws {
        try TestResponse.signIn(accessToken: token).with("token_type", "pop").asked { $0.keyID = keyID }.save(in: cache)
    }

    @Test("tokens bound to ever new keys take the place of the oldest once every key is in use")
    func manyBoundTokens() throws {
        try group.put(TestEntry.accessToken("other client", client: "other").with("token_type", "pop").with("kid", "K"))
        for number in 10...30 { try saveBound("\(number)", keyID: "K\(number)") }
        let left = try tokens(.accessToken, .accessTokenWithAuthScheme)
        #expect(left.contains("30"))
        #expect(!left.contains("10"))
        #expect(left.contains("other client"))
    }

    @Test("the key of a token that has ended is free for the next one")
    func endedKey() throws {
        try saveBound("old", keyID: "1")
        let key = try group.entries().first { $0.token == "old" }?.key
        group.clock.advance(by: 7200)
        try saveBound("new", keyID: "2")
        #expect(try tokens(.accessToken, .accessTokenWithAuthScheme) == ["new"])
        #expect(try group.entries().first { $0.token == "new" }?.key == key)
    }

    /// What the saved token is kept apart by, what is stored, and whether it goes.
    static let isolated: [(String, claims: String?, application: String?, TestEntry, Bool)] = [
        ("plain", "{}", nil, .accessToken("old"), false),
        ("same claims", "{}", nil, TestEntry.accessToken("old").with("requested_claims", "{}"), true),
        (
            "same claims, as MSAL.js writes them", "{}", nil,
            TestEntry.accessToken("old").with("requestedClaims", "{}"), true
        ),
        (
            "the hash of the same claims alone, as MSAL.js writes it", "{}", nil,
            TestEntry.accessToken("old").with("requestedClaimsHash", ClaimsDigest.javaScript("{}")), true
        ),
        ("other claims", "{}", nil, TestEntry.accessToken("old").with("requested_claims", "{ }"), false),
        (
            "the hash of other claims", "{}", nil,
            TestEntry.accessToken("old").with("requestedClaimsHash", ClaimsDigest.javaScript("{ }")), false
        ),
        ("same application", nil, "App", TestEntry.accessToken("old").with("application_identifier", "app"), true),
        ("other application", nil, "App", TestEntry.accessToken("old").with("application_identifier", "other"), false),
        ("claims and application", "{}", "App", TestEntry.accessToken("old").with("requested_claims", "{}"), false),
        ("blank ones are none", " ", "", .accessToken("old"), true),
    ]

    @Test("a token that is kept apart takes the place of those kept apart by the same", arguments: 0..<isolated.count)
    func isolation(index: Int) throws {
        let (rule, claims, application, entry, isReplaced) = Self.isolated[index]
        try group.put(entry)
        try TestResponse.signIn(accessToken: "new").asked {
            $0.isolatedClaims = claims
            $0.applicationIdentifier = application
        }.save(in: cache)
        #expect(try tokens(.accessToken) == (isReplaced ? ["new"] : ["new", "old"]), Comment(rawValue: rule))
        let isPlain = rule == "blank ones are none"
        let query = MatchingCase.query("user.read")
        let plain = isPlain ? "valid new" : rule == "plain" ? "valid old" : "renew rt"
        #expect(try cache.token(for: query).summary() == plain, Comment(rawValue: rule))
    }

    @Test("a token with an extended key is found by it, and takes the place of the one with the same")
    func extendedKey() throws {
        let key = ExtendedCacheKey(components: ["fmi_path": "a/b"])
        func save(_ token: String, _ key: ExtendedCacheKey?) throws {
            try TestResponse.signIn(accessToken: token).asked { $0.extendedCacheKey = key }.save(in: cache)
        }
        try save("plain", nil)
        try save("old", key)
        try save("new", key)
        try save("other", ExtendedCacheKey(hash: "h"))
        #expect(try tokens(.accessToken) == ["new", "other", "plain"])
        let query = MatchingCase.query("user.read", options: TokenQueryOptions(extendedCacheKey: key))
        #expect(try cache.token(for: query).summary() == "valid new")
    }

    @Test("tokens for an assertion are found by it, renewed for it, and kept apart from those of other assertions")
    func assertions() throws {
        func save(_ token: String, _ assertion: String) throws {
            try TestResponse.signIn(accessToken: token, refreshToken: "rt \(token)")
                .asked { $0.userAssertion = UserAssertionHash(of: assertion) }.save(in: cache)
        }
        try save("one", "a")
        try save("two", "b")
        try save("three", "b")
        func query(_ assertion: String, forceRefresh: Bool = false) -> TokenQuery {
            var options = TokenQueryOptions(forceRefresh: forceRefresh)
            options.userAssertion = UserAssertionHash(of: assertion)
            return MatchingCase.query("user.read", options: options)
        }
        #expect(try cache.token(for: query("a")).summary() == "valid one")
        #expect(try cache.token(for: query("b")).summary() == "valid three")
        let token = try cache.refreshToken(for: query("a", forceRefresh: true))
        let request = TokenRequest(renewing: token, scopes: ["User.Read"])
        #expect(request.userAssertion == UserAssertionHash(of: "a"))
        try cache.save(try TokenResponse(json: TestResponse.signIn(accessToken: "renewed").body), for: request)
        #expect(try tokens(.accessToken) == ["renewed", "three"])
        // No SDK's keys tell assertions apart: the oldest gives way, never an error.
        for number in 10...30 { try save("\(number)", "\(number)") }
        #expect(try cache.token(for: query("30")).summary() == "valid 30")
    }

    @Test("a sign-in is saved though tokens for assertions have every key that it could have, and replaced by the next")
    func everyKeyInUse() throws {
        for number in 1...10 {
            try TestResponse.signIn(accessToken: "for \(number)", refreshToken: "rt for \(number)")
                .asked { $0.userAssertion = UserAssertionHash(of: "\(number)") }.save(in: cache)
        }
        let others = try tokens(.refreshToken)
        for token in ["first", "second"] {
            try TestResponse.signIn(accessToken: token, refreshToken: "rt \(token)").save(in: cache)
            #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid \(token)")
            #expect(try tokens(.refreshToken) == (others + ["rt \(token)"]).sorted())
        }
    }

    @Test("an entry of another identity under the same key is not overwritten")
    func keyCollision() throws {
        let key = "uid.utid-login.windows.net-accesstoken-client-a-utid-user.read openid profile"
        try group.put(TestEntry.accessToken("apart").with("user_assertion_hash", "x").under(key))
        try TestResponse.signIn(accessToken: "new").save(in: cache)
        #expect(try tokens(.accessToken) == ["apart", "new"])
    }

    @Test("entries that mean nothing here are untouched")
    func opaque() throws {
        try group.put(TestEntry.accessToken("?").with("credential_type", "Password").under("p"))
        let before = try group.entries()
        try TestResponse.signIn().save(in: cache)
        let after = try group.entries().first { $0.facts.kind == .opaque }
        #expect(after?.facts == before[0].facts)
    }
}
