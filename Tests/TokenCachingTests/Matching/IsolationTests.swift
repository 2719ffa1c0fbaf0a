// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

private let miss = "interaction refreshTokenMissing"

@Suite("Tokens that are kept apart meet only the queries that name them")
struct IsolationTests {
    private static let claims = #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#
    private static let assertion = UserAssertionHash(of: "an assertion")

    private static func query(
        scopes: String = "user.read",
        _ change: (inout TokenQueryOptions) -> Void
    ) -> TokenQuery {
        var options = TokenQueryOptions()
        change(&options)
        return MatchingCase.query(scopes, options: options)
    }

    private static func isolated(_ name: String, _ value: String?) -> TestEntry {
        TestEntry.accessToken().with(name, value)
    }

    @Test("by claims", arguments: claimsRules)
    func byClaims(rule: MatchingCase) throws { try rule.check() }

    static let claimsRules: [MatchingCase] = [
        MatchingCase(
            "as MSAL ObjC writes them",
            [isolated("requested_claims", claims)],
            query { $0.isolatedClaims = claims },
            "valid at"
        ),
        MatchingCase(
            "as MSAL.js writes them",
            [
                isolated("requestedClaims", claims).with(
                    "requestedClaimsHash",
                    ClaimsDigest.javaScript(UTF8Text(claims))
                )
            ],
            query { $0.isolatedClaims = claims },
            "valid at"
        ),
        MatchingCase(
            "where only their hash is written",
            [isolated("requestedClaimsHash", ClaimsDigest.javaScript(UTF8Text(claims)))],
            query { $0.isolatedClaims = claims },
            "valid at"
        ),
        MatchingCase("other claims", [isolated("requested_claims", "{}")], query { $0.isolatedClaims = claims }, miss),
        MatchingCase(
            "claims in other case are other claims",
            [isolated("requested_claims", claims.uppercased())],
            query { $0.isolatedClaims = claims },
            miss
        ),
        MatchingCase("a plain token", [.accessToken()], query { $0.isolatedClaims = claims }, miss),
        MatchingCase("blank claims are none", [.accessToken()], query { $0.isolatedClaims = " " }, "valid at"),
        MatchingCase(
            "the plain query gets the plain token",
            [isolated("requested_claims", claims).with("secret", "other"), .accessToken()],
            query { _ in },
            "valid at"
        ),
        MatchingCase(
            "the plain refresh token serves",
            [.refreshToken()],
            query { $0.isolatedClaims = claims },
            "renew rt"
        ),
        MatchingCase(
            "a claims challenge passes the isolated token over too",
            [isolated("requested_claims", claims), .refreshToken()],
            query {
                $0.isolatedClaims = claims
                $0.claimsChallenge = claims
            },
            "renew rt"
        ),
    ]

    private static let components = ["fmi_path": "SomeFmiPath/fmi"]
    private static let componentHash = "sqesdoe03ype6mlhjlvqrdmluhkhuswicctrbgkusbo"

    @Test("by extra parts of the request", arguments: extendedRules)
    func byExtendedKey(rule: MatchingCase) throws { try rule.check() }

    static let extendedRules: [MatchingCase] = [
        MatchingCase(
            "the hash of MSAL Python and Go, asked for by components",
            [isolated("ext_cache_key", componentHash)],
            query { $0.extendedCacheKey = ExtendedCacheKey(components: components) },
            "valid at"
        ),
        MatchingCase(
            "the hash in other case",
            [isolated("ext_cache_key", componentHash.uppercased())],
            query { $0.extendedCacheKey = ExtendedCacheKey(hash: componentHash) },
            "valid at"
        ),
        MatchingCase(
            "the object of MSAL.NET",
            [
                TestEntry.accessToken().with("ext", json: #"{"fmi_path":"SomeFmiPath/fmi"}"#)
                    .with("credential_type", "ATExt")
            ],
            query { $0.extendedCacheKey = ExtendedCacheKey(components: components) },
            "valid at"
        ),
        MatchingCase(
            "other parts",
            [isolated("ext_cache_key", componentHash)],
            query { $0.extendedCacheKey = ExtendedCacheKey(components: ["fmi_path": "x"]) },
            miss
        ),
        MatchingCase(
            "a plain token",
            [.accessToken()],
            query { $0.extendedCacheKey = ExtendedCacheKey(components: components) },
            miss
        ),
        MatchingCase(
            "an object that cannot be compared serves nobody",
            [TestEntry.accessToken().with("ext", json: #"{"n":1}"#)],
            query { $0.extendedCacheKey = ExtendedCacheKey(components: ["n": "1"]) },
            miss
        ),
        MatchingCase(
            "an application's own token with extra parts",
            [TestEntry.accessToken(account: nil).with("ext_cache_key", componentHash)],
            TokenQuery(
                applicationScopes: ["user.read"],
                tenant: "utid",
                options: TokenQueryOptions(extendedCacheKey: ExtendedCacheKey(components: components))
            ),
            "valid at"
        ),
        MatchingCase(
            "a refresh token of MSAL.NET with the same parts",
            [TestEntry.refreshToken().with("ext", json: #"{"fmi_path":"SomeFmiPath/fmi"}"#)],
            query { $0.extendedCacheKey = ExtendedCacheKey(components: components) },
            "renew rt"
        ),
        MatchingCase(
            "a refresh token with extra parts is not for a plain query",
            [TestEntry.refreshToken().with("ext", json: #"{"fmi_path":"SomeFmiPath/fmi"}"#)],
            query { _ in },
            miss
        ),
    ]

    @Test("by application on the device", arguments: applicationRules)
    func byApplication(rule: MatchingCase) throws { try rule.check() }

    static let applicationRules: [MatchingCase] = [
        MatchingCase(
            "as MSAL ObjC writes it, in any case",
            [isolated("application_cache_identifier", "Com.Contoso.Mail")],
            query { $0.applicationIdentifier = "com.contoso.MAIL" },
            "valid at"
        ),
        MatchingCase(
            "as MSAL Android writes it",
            [isolated("application_identifier", "com.contoso.mail")],
            query { $0.applicationIdentifier = "com.contoso.mail" },
            "valid at"
        ),
        MatchingCase(
            "another application",
            [isolated("application_cache_identifier", "com.contoso.mail")],
            query { $0.applicationIdentifier = "com.contoso.files" },
            miss
        ),
        MatchingCase(
            "a plain token",
            [.accessToken()],
            query { $0.applicationIdentifier = "com.contoso.mail" },
            miss
        ),
        MatchingCase(
            "the plain refresh token serves",
            [.refreshToken()],
            query { $0.applicationIdentifier = "com.contoso.mail" },
            "renew rt"
        ),
    ]

    @Test("by the assertion that a service acts on", arguments: assertionRules)
    func byAssertion(rule: MatchingCase) throws { try rule.check() }

    static let assertionRules: [MatchingCase] = [
        MatchingCase(
            "the same assertion",
            [isolated("user_assertion_hash", assertion.base64URL)],
            query { $0.userAssertion = assertion },
            "valid at"
        ),
        MatchingCase(
            "as MSAL.js writes it",
            [isolated("userAssertionHash", assertion.base64URL)],
            query { $0.userAssertion = assertion },
            "valid at"
        ),
        MatchingCase(
            "a hash in the other alphabet, with padding",
            [isolated("user_assertion_hash", String(repeating: "a", count: 41) + "-_")],
            query { $0.userAssertion = UserAssertionHash(hash: String(repeating: "a", count: 41) + "+/=") },
            "valid at"
        ),
        MatchingCase(
            "a text that is no hash is compared as it is",
            [isolated("user_assertion_hash", "key-_")],
            query { $0.userAssertion = UserAssertionHash(hash: "key+/") },
            miss
        ),
        MatchingCase(
            "another assertion",
            [isolated("user_assertion_hash", assertion.base64URL)],
            query { $0.userAssertion = UserAssertionHash(of: "another") },
            miss
        ),
        MatchingCase("the person's own token", [.accessToken()], query { $0.userAssertion = assertion }, miss),
        MatchingCase(
            "the refresh token of the same assertion",
            [
                .refreshToken("plain"),
                TestEntry.refreshToken("mine").with("user_assertion_hash", assertion.base64URL),
                TestEntry.refreshToken("other").with("user_assertion_hash", "x"),
            ],
            query { $0.userAssertion = assertion },
            "renew mine"
        ),
        MatchingCase(
            "the person's own refresh token is not for a service",
            [.refreshToken()],
            query { $0.userAssertion = assertion },
            miss
        ),
        MatchingCase(
            "kept apart by two things: both must be named",
            [isolated("user_assertion_hash", assertion.base64URL).with("requested_claims", claims)],
            query { $0.userAssertion = assertion },
            miss
        ),
        MatchingCase(
            "kept apart by two things that are named",
            [isolated("user_assertion_hash", assertion.base64URL).with("requested_claims", claims)],
            query {
                $0.userAssertion = assertion
                $0.isolatedClaims = claims
            },
            "valid at"
        ),
    ]

    @Test("the hash of an assertion is SHA-256 in the alphabet of addresses")
    func assertionHash() {
        // Of "abc": the example of FIPS 180-4.
        let expected = "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"
        #expect(UserAssertionHash(of: "abc").base64URL == expected)
        #expect(UserAssertionHash(of: Array("abc".utf8).rawSpan).base64URL == expected)
        #expect(UserAssertionHash(of: "").base64URL == "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU")
    }

    @Test("entries beyond the number of distinguishable kinds are not returned, and plain ones still are")
    func manySorts() throws {
        var table = IsolationTable()
        var symbols = SymbolTable()
        var fields = CredentialFields(kind: .accessToken)
        #expect(table.number(of: fields, &symbols) == 0)
        for index in 0..<(Int(UInt16.max) - 1) {
            fields.isolation.assertionHash = UTF8Text("\(index)")
            #expect(table.number(of: fields, &symbols) == UInt16(index + 1))
        }
        fields.isolation.assertionHash = "one too many"
        #expect(table.number(of: fields, &symbols) == .max)
        #expect(table.all.count < Int(UInt16.max))
        fields.isolation.assertionHash = "7"
        #expect(table.number(of: fields, &symbols) == 8)
    }

    // MARK: - What newer SDKs isolate by

    private static let newerComponents = ["fmi_path": "agent-b", "attribute_tokens": "x"]
    private static let extended = ExtendedCacheKey(components: newerComponents)

    @Test("by the members of newer SDKs", arguments: newerMembers)
    func newer(name: String, json: String, key: ExtendedCacheKey?) throws {
        let entry = TestEntry.accessToken("isolated", expiresOn: TestEntry.start + 9000).with(name, json: json)
        try MatchingCase("plain", [.accessToken("plain"), entry], Self.query { _ in }, "valid plain").check()
        try MatchingCase("alone", [entry], Self.query { _ in }, miss).check()
        guard let key else { return }
        let query = Self.query { $0.extendedCacheKey = key }
        try MatchingCase("asked for", [.accessToken("plain"), entry], query, "valid isolated").check()
    }

    static let newerMembers: [(String, String, ExtendedCacheKey?)] = [
        ("additionalCacheKeyComponents", #"{"fmi_path":"agent-b","attribute_tokens":"x"}"#, extended),
        ("additionalCacheKeyComponents", #"{"fmi_path":5}"#, nil),
        ("additionalCacheKeyComponentsHash", #""h""#, ExtendedCacheKey(hash: "h")),
        ("ext_cache_key_hash", TestEntry.quoted(extended.hash), extended),
        ("resource", #""https://mcp.example""#, ExtendedCacheKey(components: ["resource": "https://mcp.example"])),
    ]

    @Test(
        "no components and a blank resource are none",
        arguments: [("additionalCacheKeyComponents", "{}"), ("resource", #"" ""#)]
    )
    func nothing(name: String, json: String) throws {
        try MatchingCase("", [.accessToken().with(name, json: json)], Self.query { _ in }, "valid at").check()
    }

    @Test("by a part of the key that the members do not explain", arguments: keys)
    func unknownPart(key: String, members: [String: String], isPlain: Bool) throws {
        let base = "uid.utid-login.microsoftonline.com-accesstoken-client-a-utid-user.read mail.read"
        let typed = base.replacing("accesstoken", with: key.hasPrefix("atext") ? "atext" : "accesstoken")
        var entry = TestEntry.accessToken().under(
            key.hasPrefix("=") ? String(key.dropFirst()) : typed + key.trimmingPrefix("atext")
        )
        for (name, value) in members { entry = entry.with(name, value) }
        let group = try TestGroup()
        try group.put(entry)
        var options = TokenQueryOptions()
        options.tokenType = members["token_type"]
        options.isolatedClaims = members["requestedClaims"]
        let query = MatchingCase.query("user.read", options: options)
        #expect(try group.cache().token(for: query).summary() == (isPlain ? "valid at" : miss), "\(key)")
    }

    static let keys: [(String, [String: String], Bool)] = [
        ("", [:], true), ("-", [:], true), ("--", [:], true), ("----", [:], true), ("-2", [:], true),
        ("-agent", [:], false),
        ("--agent", [:], false), ("---Hash_of-parts-", [:], false), ("atext-hash", [:], false), ("|hash", [:], false),
        ("--pop", ["token_type": "pop"], true), ("-pop", ["token_type": "pop"], true),
        ("-pop-agent", ["token_type": "pop"], false), ("-key", ["key_id": "Key"], true),
        ("-" + ClaimsDigest.javaScript(UTF8Text("{}")) + "-", ["requestedClaims": "{}"], true),
        ("=User.Read", [:], true),
        ("=" + "uid.utid-login.microsoftonline.com-accesstoken-client-a-other-agent", [:], true),
        // One number may be appended to a key that is taken.
        ("-17", [:], true), ("-0123456789", [:], false), ("-1-2-3", [:], false),
        // In another order, under another host of the cloud, for a word or another tenant, with further spaces.
        ("=uid.utid-login.microsoftonline.com-atext-client-a-utid-mail.read user.read-hash", [:], false),
        ("=uid.utid-login.microsoftonline.com-accesstoken-client-a-utid-mail.read user.read", [:], true),
        ("=uid.utid-login.microsoftonline.com-accesstoken-client-a-utid-Mail.Read User.Read--", [:], true),
        ("=uid.utid-login.windows.net-accesstoken-client-a-utid-user.read mail.read-hash", [:], false),
        ("=uid.utid-login.windows.net-accesstoken-client-a-utid-user.read mail.read", [:], true),
        ("=uid.utid-login.windows.net-accesstoken-client-a-organizations-user.read mail.read-hash", [:], false),
        ("=uid.utid-login.windows.net-accesstoken-client-a-organizations-user.read mail.read", [:], true),
        ("=uid.utid-login.windows.net-accesstoken-client-a-contoso-x.example-user.read mail.read", [:], true),
        ("=uid.utid-login.microsoftonline.com-accesstoken-client-a-utid-user.read  mail.read-hash", [:], false),
        ("=uid.utid-login.microsoftonline.com-accesstoken-client-a-utid-user.read openid mail.read", [:], true),
        ("=uid.utid-login.windows.net-accesstoken-client-a-corp.contoso-x.example-user.read mail.read", [:], true),
        // Beside another host of the cloud, and behind a domain.
        ("=uid.utid-sts.windows.net-agent-b-accesstoken-client-a-utid-user.read mail.read", [:], false),
        ("=uid.utid-agent-b-sts.windows.net-accesstoken-client-a-utid-user.read mail.read", [:], false),
        ("=uid.utid-one-sts.windows.net-two-accesstoken-client-a-utid-user.read mail.read", [:], false),
        ("=uid.utid-login.windows.net-attwo-client-a-common-user.read mail.read", [:], false),
        ("=uid.utid-login.windows.net-accesstoken-client-a-contoso-x.example-hash-user.read mail.read", [:], false),
        // Between client and tenant, type and client, host and type.
        ("=uid.utid-login.microsoftonline.com-accesstoken-client-a-agent-b-utid-user.read mail.read", [:], false),
        ("=uid.utid-login.windows.net-accesstoken-client-a-agent-b-utid-mail.read user.read", [:], false),
        ("=uid.utid-login.microsoftonline.com-accesstoken-agent-b-client-a-utid-user.read mail.read", [:], false),
        ("=uid.utid-login.microsoftonline.com-agent-b-accesstoken-client-a-utid-user.read mail.read", [:], false),
        (
            "=uid.utid-login.microsoftonline.com-accesstoken-pop-client-a-utid-user.read mail.read",
            ["token_type": "pop"], true
        ),
        // Between tenant and scopes, and before the account.
        ("=uid.utid-login.microsoftonline.com-accesstoken-client-a-utid-app.one-user.read mail.read", [:], false),
        ("=uid.utid-login.microsoftonline.com-accesstoken-client-a-common-app.one-user.read mail.read", [:], false),
        ("=uid.utid-login.microsoftonline.com-accesstoken-client-a-utid-2024-user.read mail.read", [:], false),
        ("=17-uid.utid-login.microsoftonline.com-accesstoken-client-a-utid-user.read mail.read", [:], false),
        ("=uid.utid-part-login.microsoftonline.com-accesstoken-client-a-utid-user.read mail.read", [:], false),
        ("=uid.utid-login.windows.net-accesstoken-client-a-utid-other.read user.read-hash", [:], false),
        ("=uid.utid-login.windows.net-accesstoken-client-a-utid-user.read\tmail.read-hash", [:], false),
        ("=front-uid.utid-login.microsoftonline.com-accesstoken-client-a-utid-user.read mail.read", [:], false),
        // Between two scopes, with another separator, and with a type that nobody knows yet.
        ("=uid.utid-login.windows.net-accesstoken-client-a-utid-user.read-agent-b mail.read", [:], false),
        ("=uid.utid-login.microsoftonline.com-accesstoken-client-a-utid-user.read agent-b-mail.read", [:], false),
        ("=uid.utid-login.windows.net-accesstoken-client-a-utid-user.read openid|agent-b mail.read", [:], true),
        ("=uid.utid-login.microsoftonline.com-accesstoken-client-a-utid|agent-b-user.read mail.read", [:], false),
        ("=uid.utid-login.microsoftonline.com-accesstoken-client-a|agent-b-utid-user.read mail.read", [:], false),
        ("=uid.utid-login.microsoftonline.com|agent-b-accesstoken-client-a-utid-user.read mail.read", [:], false),
        ("=uid.utid-login.windows.net-accesstoken-client-a-utid-user.read|agent-b mail.read", [:], false),
        ("=uid.utid-login.microsoftonline.com-attwo-client-a-utid-user.read mail.read-hash", [:], false),
        ("=uid.utid-login.microsoftonline.com-attwo-client-a-utid-user.read mail.read", [:], false),
        ("=uid.utid-login.windows.net-attwo-client-a-utid-mail.read user.read-hash", [:], false),
        ("=uid.utid-login.microsoftonline.com-client-a-utid-user.read mail.read", [:], true),
        // Scopes may contain all other separators.
        ("#hash", [:], true), (":hash", [:], true), ("/hash", [:], true), ("_hash", [:], true), (".hash", [:], true),
    ]

    @Test("an unknown part of the key is asked for as a hash, in any case")
    func askedByPart() throws {
        let key = "uid.utid-login.microsoftonline.com-atext-client-a-utid-user.read mail.read-SomeHash"
        let group = try TestGroup()
        try group.put(.accessToken().under(key))
        let query = Self.query { $0.extendedCacheKey = ExtendedCacheKey(hash: "somehash") }
        #expect(try group.cache().token(for: query).summary() == "valid at")
    }

    // MARK: - MSAL Node 5 and MSAL.NET, after a save

    // The keys are made as in lib/msal-node/src/cache/CacheHelpers.ts of AzureAD/microsoft-authentication-library-for-js at
    // 09771daa40e5e54e414ae141d91489747337aefe, line 26: account, host, type, client, realm, scopes and scheme.
    @Test("what MSAL Node 5 wrote keeps its keys when it is renewed")
    func node() throws {
        let group = try TestGroup()
        let host = "login.windows.net"
        let base = "uid.utid-\(host)-"
        try group.put(
            .accessToken(environment: host, expiresOn: TestEntry.start - 1).with("token_type", "Bearer")
                .under(base + "accesstoken-client-a-utid-user.read mail.read-"),
            .refreshToken(environment: host).under(base + "refreshtoken-client-a---"),
            .idToken(environment: host).under(base + "idtoken-client-a-utid--")
        )
        let cache = try group.cache()
        let token = try cache.refreshToken(for: MatchingCase.query("user.read"))
        let response = TestResponse.signIn(accessToken: "new", refreshToken: "rt2", scope: "User.Read Mail.Read")
        try cache.save(TokenResponse(json: response.body), for: TokenRequest(renewing: token, scopes: ["user.read"]))
        let keys = Set(try group.entries().filter { $0.facts.kind.isCredential }.compactMap(\.key))
        #expect(
            keys == [
                base + "accesstoken-client-a-utid-user.read mail.read-", base + "refreshtoken-client-a---",
                base + "idtoken-client-a-utid--",
            ]
        )
    }

    @Test("the successor of a partitioned refresh token is as isolated, and a plain one stays")
    func partitioned() throws {
        let group = try TestGroup()
        let parts = #"{"attribute_tokens":"x","fmi_path":"agent-b"}"#
        try group.put(
            TestEntry.refreshToken("partitioned").with("ext", json: parts).under("p"),
            TestEntry.refreshToken("plain").under("q")
        )
        let cache = try group.cache()
        let query = Self.query { $0.extendedCacheKey = Self.extended }
        let redeemed = try cache.refreshToken(for: query)
        #expect(try redeemed.secretString == "partitioned")
        let response = TestResponse.signIn(accessToken: "new", refreshToken: "next")
        try cache.save(TokenResponse(json: response.body), for: TokenRequest(renewing: redeemed, scopes: ["user.read"]))
        #expect(try cache.token(for: query).summary() == "valid new")
        #expect(try group.secrets(\.isPlainRefreshToken) == ["next", "plain"])
        let plain = MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))
        #expect(try cache.refreshToken(for: plain).secretString == "plain")
        let next = try #require(try group.entries().first { $0.token == "next" })
        #expect(next.fields.isolation.extendedKey == UTF8Text(Self.extended.hash))
        #expect(next.facts.rawJSON(.ext) == Array(parts.utf8))
    }
}
