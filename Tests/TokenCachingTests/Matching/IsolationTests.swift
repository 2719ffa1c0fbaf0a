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
            [isolated("user_assertion_hash", "ab-_")],
            query { $0.userAssertion = UserAssertionHash(hash: "ab+/==") },
            "valid at"
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
}
