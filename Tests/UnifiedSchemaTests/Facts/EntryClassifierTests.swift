// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UnifiedSchema

@Suite("The kind of an entry")
struct EntryClassifierTests {
    static let credential = #""secret":"s","client_id":"c","environment":"e""#

    @Test(
        "the type string decides within its section, in any case",
        arguments: [
            ("AccessToken", "AccessToken", EntryKind.accessToken), ("AccessToken", "accesstoken", .accessToken),
            ("AccessToken", "ATExt", .accessToken), ("AccessToken", " AccessToken ", .accessToken),
            ("AccessToken", "AccessToken_With_AuthScheme", .accessTokenWithAuthScheme),
            ("AccessToken", "RefreshToken", .opaque), ("AccessToken", "IdToken", .opaque), ("AccessToken", "", .opaque),
            ("RefreshToken", "RefreshToken", .refreshToken),
            ("RefreshToken", "FAMILYREFRESHTOKEN", .familyRefreshToken),
            ("RefreshToken", "AccessToken", .opaque), ("RefreshToken", "BoundRefreshToken", .opaque),
            ("RefreshToken", "PrimaryRefreshToken", .opaque), ("IdToken", "IDToken", .idToken),
            ("IdToken", "V1IdToken", .v1IDToken), ("IdToken", "LegacySingleResourceToken", .opaque),
            ("AccessToken_With_AuthScheme", "AccessToken", .accessToken),
        ]
    )
    func typeString(section: String, type: String, expected: EntryKind) throws {
        let json = "{\(Self.credential),\"credential_type\":\"\(type)\"}"
        #expect(try parse(json, section: UTF8Text(section)).facts.kind == expected)
    }

    @Test("without a type string the section decides", arguments: DocumentSection.allCases)
    func bySection(section: DocumentSection) throws {
        let json = "{\(Self.credential),\"home_account_id\":\"h\"}"
        #expect(try parse(json, section: section.name).facts.kind == section.defaultKind)
        let typed = "{\(Self.credential),\"home_account_id\":\"h\",\"credential_type\":null}"
        #expect(try parse(typed, section: section.name).facts.kind == section.defaultKind)
    }

    @Test(
        "a token whose secret is missing or blank is known, but none",
        arguments: ["AccessToken", "RefreshToken", "IdToken"],
        ["", #""secret":null,"#, #""secret":"","#, #""secret":" \t ","#, #""secret":"\u0020\n","#]
    )
    func blank(section: String, secret: String) throws {
        let json = "{\(secret)\"client_id\":\"c\",\"environment\":\"e\"}"
        let facts = try parse(json, section: UTF8Text(section)).facts
        #expect(facts.kind == DocumentSection(name: UTF8Text(section))?.defaultKind)
        #expect(facts.lacksToken && facts.secretCount == 0)
        #expect(try !parse("{\(Self.credential)}", section: UTF8Text(section)).facts.lacksToken)
    }

    @Test("a secret that is no text is no token, and secret", arguments: ["5", "[]", "{}", "true", #""\ud800""#])
    func otherSecret(secret: String) throws {
        let json = "{\"secret\":\(secret),\"client_id\":\"c\",\"environment\":\"e\"}"
        let entry = try parse(json)
        #expect(entry.facts.kind == .accessToken && entry.facts.lacksToken)
        #expect(secretTexts(entry, in: json) == [secret] && entry.secrets.tokenIndex == nil)
        let decoded = try EntryFacts(decoding: entry.facts.encoded())
        #expect(decoded.kind == .accessToken && decoded.lacksToken && decoded == entry.facts)
        #expect(decoded.placed(at: 7).lacksToken && decoded.under("k").lacksToken && decoded.at(issuer: "i").lacksToken)
        #expect(CredentialFields(decoded).kind == .accessToken)
    }

    @Test("another secret member does not make up for a missing token")
    func otherSecretMember() throws {
        let json = #"{"secret":" ","session_key":"k","client_id":"c","environment":"e"}"#
        let entry = try parse(json, section: "RefreshToken")
        #expect(entry.facts.lacksToken && entry.secrets.ranges.count == 1 && entry.secrets.tokenIndex == nil)
    }

    @Test("only the kinds of credentials are stored without a token", arguments: 0...UInt8.max)
    func storedNumber(number: UInt8) throws {
        let kind = EntryKind(storedNumber: number)
        if let own = EntryKind(rawValue: number) {
            #expect(kind == own)
        } else if (65..<127).contains(number) {
            #expect(kind == EntryKind(rawValue: number - 64).flatMap { $0.isCredential ? $0 : nil })
        } else {
            #expect(kind == nil)
        }
    }

    @Test(
        "a device's primary token needs its session key, unless that is stored elsewhere",
        arguments: [
            (#""session_key":"k""#, true), (#""session_key":null"#, false), (#""external_key_type":"1""#, true),
            (#""external_key_type":1"#, true), (#""external_key_type":"0""#, false),
            (#""external_key_type":null"#, false), (#""external_key_type":"x""#, false),
        ]
    )
    func primary(members: String, isComplete: Bool) throws {
        let json = "{\(Self.credential),\"credential_type\":\"PrimaryRefreshToken\",\(members)}"
        let kind = try parse(json, section: "RefreshToken").facts.kind
        #expect(kind == (isComplete ? .primaryRefreshToken : .opaque))
    }

    @Test(
        "what decides a match must be text or null",
        arguments: MemberName.allCases.filter(\.decidesIdentity)
    )
    func identity(name: MemberName) throws {
        let others = ["secret", "client_id", "environment"].filter { $0 != "\(name.text)" }
        let rest = others.map { "\"\($0)\":\"v\"" }.joined(separator: ",")
        for value in ["5", "true", "[]", "{}", #""\ud800""#] {
            let entry = "{\(rest),\"\(name.text)\":\(value)"
            #expect(try parse(entry + "}").facts.kind == .opaque)
            // If it is certain whose it is, it is removed with its account.
            if name == .homeAccountID { continue }
            let owned = try parse(entry + #","home_account_id":"h"}"#).facts
            let isOwned = ![.environment, .clientID, .credentialType].contains(name)
            #expect(owned.kind == (isOwned ? .accessToken : .opaque) && owned.lacksToken == isOwned)
        }
    }

    @Test(
        "a secret with other characters than tokens have is no token",
        arguments: [
            (#"abcdefgh ijklmnopq~"#, true), (#"\u0041\/+=.-_~"#, true), (#"   "#, false), ("", false), (#"\t"#, false),
            (#"x\ny"#, false), (#"x\u0000"#, false), (#"x\u001b[2J"#, false), (#"x\u007f"#, false), ("x\u{7f}", false),
            ("eightch\u{7f}more", false), ("tök", false), (#"t\u00f6k"#, false), ("a\u{80}bcdefghijk", false),
            (#"x\tabcdefghijkl"#, false),
        ]
    )
    func characters(token: String, isToken: Bool) throws {
        for section: UTF8Text in ["AccessToken", "RefreshToken", "IdToken"] {
            let json = "{\"secret\":\"\(token)\",\"client_id\":\"c\",\"environment\":\"e\"}"
            let facts = try parse(json, section: section).facts
            #expect(facts.kind != .opaque && facts.lacksToken == !isToken, "\(section)")
        }
    }

    @Test("values that decide nothing may be anything", arguments: ["5", "true", "[]", "{}", #""\ud800""#, "null"])
    func others(value: String) throws {
        for name in ["name", "expires_on", "client_info", "new", "refresh_on", "spe_info"] {
            #expect(try parse("{\(Self.credential),\"\(name)\":\(value)}").facts.kind == .accessToken)
        }
    }

    @Test(
        "an account needs any of its names, app metadata both of its own",
        arguments: [
            ("Account", #"{"home_account_id":"h"}"#, EntryKind.account), ("Account", #"{"username":"u"}"#, .account),
            ("Account", #"{"local_account_id":"l"}"#, .account), ("Account", #"{"name":"n","username":" "}"#, .opaque),
            ("AppMetadata", #"{"client_id":"c","environment":"e"}"#, .appMetadata),
            ("AppMetadata", #"{"client_id":"c"}"#, .opaque), ("AppMetadata", #"{"environment":"e"}"#, .opaque),
            ("AccountMetadataMap", #"{"client_id":"c"}"#, .accountMetadata), ("AccountMetadataMap", "{}", .opaque),
        ]
    )
    func names(section: String, json: String, expected: EntryKind) throws {
        #expect(try parse(json, section: UTF8Text(section)).facts.kind == expected)
    }

    @Test("without a key nothing has a meaning")
    func keyless() throws {
        #expect(try parse(pythonAccessToken, key: nil).facts.kind == .opaque)
    }

    @Test("names of sections are not folded", arguments: ["accesstoken", "ACCESSTOKEN", "AccessToken ", "Accesstoken"])
    func sectionNames(name: String) throws {
        #expect(try parse(pythonAccessToken, section: UTF8Text(name)).facts.kind == .opaque)
    }

    @Test(
        "one entry is JSON, an object, and no deeper than the limit",
        arguments: [
            ("[]", SchemaError.Code.notAnObject, 0), ("\n 5", .notAnObject, 2), ("", .unexpectedEnd, 0),
            ("{\n\"a\":1,\n\"a\":2}", .duplicateName, 9), ("{\"a\":}", .malformedJSON, 5),
            ("{\"a\":[[[[[[1]]]]]]}", .limitExceeded, 8),
        ]
    )
    func refused(json: String, code: SchemaError.Code, offset: Int) {
        let error = #expect(throws: SchemaError.self) { try parse(json, depth: 6) }
        #expect(error?.code == code)
        #expect(error?.byteOffset == offset)
    }

    @Test("people see each member, its text, and that a secret is one")
    func members() throws {
        let facts = try parse(
            #"{"secret":"s","client_id":"c","environment":"e","n\u0065w":[1,2],"kid":null,"name":"\u00e9"}"#
        ).facts
        #expect(facts.members.map(\.name) == ["secret", "client_id", "environment", "new", "kid", "name"])
        #expect(facts.members.map(\.isSecret) == [true, false, false, false, false, false])
        #expect(facts.members.map { $0.json?.string } == [nil, "\"c\"", "\"e\"", "[1,2]", "null", #""\u00e9""#])
        #expect(facts.members.map(\.known) == [.secret, .clientID, .environment, nil, .kid, .name])
        #expect(try parse("{}").facts.members.isEmpty)
    }
}
