// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UnifiedSchema

@Suite("Which SDK wrote an entry")
struct KeyFormatDetectionTests {
    static let base =
        #""home_account_id":"u.t","environment":"e","client_id":"c","realm":"r","target":"b a","secret":"s""#

    @Test(
        "the key decides, then the members",
        arguments: [
            ("u.t-e-accesstoken-c-r-b a--", "", KeyFormat.javaScript), ("u.t-e-accesstoken-c-r-b a", "", .objectiveC),
            ("u.t-e-accesstoken-c-r-b a", #","token_type":"Bearer""#, .go),
            ("u.t-e-accesstoken-c-r-b a", #","ext_expires_on":"1","extended_expires_on":"1""#, .dotNet),
            ("u.t-e-accesstoken-c-r-b a", #","access_token_type":"Bearer""#, .android),
            ("u.t-e-accesstoken-c-r-b a-pop", #","token_type":"pop""#, .go),
            ("u.t-e-accesstoken-c-r-b a", #","token_type":"ssh-cert","key_id":"k""#, .python),
            ("Some-Old-KEY", #","keyid":"k""#, .go), ("Some-Old-KEY", "", .objectiveC),
            ("u.t-e-accesstoken-c-r-b a|\(ClaimsDigest.objectiveC("x"))", #","requested_claims":"x""#, .objectiveC),
        ]
    )
    func accessTokens(key: String, members: String, expected: KeyFormat) throws {
        let facts = try parse("{\(Self.base)\(members)}", key: UTF8Text(key)).facts
        #expect(KeyFormat(detecting: facts) == expected)
    }

    @Test("sorted scopes beside a plain type are MSAL Python's")
    func sorted() throws {
        let json =
            #"{"home_account_id":"u.t","environment":"e","client_id":"c","realm":"r","target":"a b","secret":"s","token_type":"Bearer"}"#
        let facts = try parse(json, key: "u.t-e-accesstoken-c-r-a b").facts
        #expect(KeyFormat(detecting: facts) == .python)
    }

    @Test(
        "keys of refresh tokens are recognised by their dashes",
        arguments: [
            ("u.t-e-refreshtoken-c--", "", KeyFormat.objectiveC), ("u.t-e-refreshtoken-c", "", .go),
            ("u.t-e-refreshtoken-c----", "", .javaScript),
            ("u.t-e-refreshtoken-1--", #","family_id":"1""#, .objectiveC),
            ("u.t-e-refreshtoken-c--", #","family_id":"1""#, .python),
            ("u.t-e-refreshtoken-c--b a", #","target":"b a","last_modification_time":"1""#, .python),
            ("u.t-e-refreshtoken-c--", #","client_info":"x""#, .dotNet),
        ]
    )
    func refreshTokens(key: String, members: String, expected: KeyFormat) throws {
        let json = #"{"home_account_id":"u.t","environment":"e","client_id":"c","secret":"s"\#(members)}"#
        let facts = try parse(json, section: "RefreshToken", key: UTF8Text(key)).facts
        #expect(KeyFormat(detecting: facts) == expected)
    }

    @Test(
        "keys of accounts are recognised by their case, tenant and members",
        arguments: [
            ("U.t-e-r", "", KeyFormat.dotNet), ("u.t-e-t", "", .javaScript), ("u.t-e-r", "", .objectiveC),
            ("u.t-e-r", #","account_source":"password""#, .python), ("u.t-e-r", #","first_name":"F""#, .android),
        ]
    )
    func accounts(key: String, members: String, expected: KeyFormat) throws {
        let json = #"{"home_account_id":"U.t","environment":"e","realm":"r"\#(members)}"#
        let facts = try parse(json, section: "Account", key: UTF8Text(key)).facts
        #expect(KeyFormat(detecting: facts) == expected)
    }

    @Test(
        "beside an entry in the standard form the same is detected",
        arguments: [
            ("u.t-e-accesstoken-c-r-b a", "", KeyFormat.objectiveC),
            ("u.t-e-accesstoken-c-r-b a", #","token_type":"Bearer""#, .go),
            ("u.t-e-accesstoken-c-r-b a", #","access_token_type":"Bearer""#, .android),
            ("u.t-e-accesstoken-c-r-b a", #","client_info":"x""#, .dotNet),
            ("u.t-e-accesstoken-c-r-b a--", "", .javaScript), ("Some-Old-KEY", #","keyid":"k""#, .go),
        ]
    )
    func replaced(key: String, members: String, expected: KeyFormat) throws {
        let facts = try parse("{\(Self.base)\(members)}", key: UTF8Text(key)).facts
        let standard = try parse("{\(Self.base)}", key: "u.t-e-accesstoken-c-r-b a").facts
        #expect(KeyFormat(detecting: facts, replacedBy: standard) == expected)
    }

    @Test(
        "a member that only one SDK writes identifies that SDK if the key has the form of none",
        arguments: MemberName.allCases.filter { $0.onlyWriter != nil }
    )
    func onlyWriter(name: MemberName) throws {
        let value = name == .ext || name == .additionalCacheKeyComponents ? #"{"a":"b"}"# : #""x""#
        let json = #"{"environment":"e","client_id":"c","secret":"s","\#(name.text)":\#(value)}"#
        let facts = try parse(json, key: "Some-Old-KEY").facts
        #expect(facts.kind == .accessToken)
        #expect(KeyFormat(detecting: facts) == name.onlyWriter)
        #expect(!KeyFormat.hasNoSDKFingerprint(facts))
    }

    @Test("a member that new entries contain only in the form of one SDK identifies that SDK")
    func exclusiveMembers() throws {
        var writers: [MemberName: Set<KeyFormat>] = [:]
        for format in KeyFormat.allCases {
            for part in IsolationPart.allCases {
                var token = NewEntryTests.token
                (token.tokenType, token.keyID, token.extendedExpiresOn) = ("pop", "k", 9000)
                token.isolation[part] = "x"
                if part == .extendedKey { token.extendedKey = ExtendedKey([.init(name: "a", value: "b")]) }
                var account = NewAccount(homeAccountID: "u.t", environment: "e", realm: "t")
                (account.username, account.givenName) = ("u", "g")
                for facts in [try token.facts(format), try account.facts(format)] {
                    for name in MemberName.allCases where facts.has(name) { writers[name, default: []].insert(format) }
                }
            }
        }
        let single = writers.filter { $0.value.count == 1 }
        #expect(single.count >= 8)
        for (name, formats) in single { #expect(name.onlyWriter == formats.first, "\(name)") }
    }

    @Test(
        "what each format writes for a plain token is detected as a format with the same key",
        arguments: KeyFormat.allCases
    )
    func own(format: KeyFormat) throws {
        for kind in [EntryKind.accessToken, .refreshToken, .idToken] {
            var token = NewEntryTests.token
            token.kind = kind
            let facts = try token.facts(format)
            #expect(KeyParts(facts).documentKey(KeyFormat(detecting: facts)) == facts.key)
        }
    }
}
