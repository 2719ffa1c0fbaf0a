// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UnifiedSchema

@Suite("Members that lookups compare")
struct CredentialFieldsTests {
    static let base = #""secret":"s","client_id":" CID ","environment":"LOGIN.x","home_account_id":" U.T ""#

    private func fields(_ members: String, section: UTF8Text = "AccessToken") throws -> CredentialFields {
        CredentialFields(try parse("{\(Self.base),\(members)}", section: section).facts)
    }

    @Test("identities are trimmed and folded")
    func identities() throws {
        let fields = try fields(#""realm":" R ","family_id":"","username":"Ann@X","local_account_id":"L""#)
        #expect(fields.clientID == "cid")
        #expect(fields.environment == "login.x")
        #expect(fields.homeAccountID == "u.t")
        #expect(fields.realm == "r")
        #expect(fields.familyID == nil)
        #expect(fields.username == "ann@x")
        #expect(fields.localAccountID == "l")
        #expect(fields.tokenType == "bearer")
    }

    @Test(
        "a field is found under each of its names",
        arguments: [
            (#""kid":"K""#, \CredentialFields.keyID, "K"), (#""keyid":"K""#, \.keyID, "K"),
            (#""key_id":"K""#, \.keyID, "K"), (#""requested_claims":"{}""#, \.isolation.claims, "{}"),
            (#""requestedClaims":"{}""#, \.isolation.claims, "{}"),
            (#""requestedClaimsHash":"h""#, \.isolation.claims, "h"),
            (#""requestedClaimsHash":"h","requestedClaims":"{}""#, \.isolation.claims, "{}"),
            (#""user_assertion_hash":"A""#, \.isolation.assertionHash, "A"),
            (#""userAssertionHash":"A""#, \.isolation.assertionHash, "A"),
            (#""application_cache_identifier":"App""#, \.isolation.application, "App"),
            (#""application_identifier":"App""#, \.isolation.application, "App"),
            (#""ext_cache_key":"x""#, \.isolation.extendedKey, "x"),
            (
                #""ext":{"fmi_path":"SomeFmiPath/fmi"}"#, \.isolation.extendedKey,
                "sqesdoe03ype6mlhjlvqrdmluhkhuswicctrbgkusbo"
            ),
        ] as [(String, any KeyPath<CredentialFields, UTF8Text?> & Sendable, UTF8Text)]
    )
    func alternates(
        members: String,
        path: any KeyPath<CredentialFields, UTF8Text?> & Sendable,
        expected: UTF8Text
    ) throws {
        #expect(try fields(members)[keyPath: path] == expected)
    }

    @Test(
        "each member that decides what an entry matches is among the fields",
        // These two are read only to determine the kind of an entry.
        arguments: MemberName.allCases.filter {
            $0.decidesIdentity && $0 != .credentialType && $0 != .boundDeviceID
        }
    )
    func deciding(name: MemberName) throws {
        let others = ["secret", "client_id", "environment", "home_account_id"].filter { $0 != "\(name.text)" }
        let rest = others.map { "\"\($0)\":\"v\"" }.joined(separator: ",")
        // An issuer is a URL.
        let (one, other) = (
            "{\(rest),\"\(name.text)\":\"https://one\"}", "{\(rest),\"\(name.text)\":\"https://other\"}"
        )
        #expect(try CredentialFields(parse(one).facts) != CredentialFields(parse(other).facts))
    }

    @Test(
        "the token type is folded and may have its other name",
        arguments: [
            (#""token_type":"Bearer""#, "bearer"), (#""token_type":"Pop""#, "pop"), (#""token_type":"""#, "bearer"),
            (#""token_type":null"#, "bearer"), (#""access_token_type":"POP""#, "pop"),
            (#""token_type":"ssh-cert","access_token_type":"Bearer""#, "ssh-cert"),
            (#""token_type":"\u0050op""#, "pop"),
        ]
    )
    func tokenType(members: String, expected: String) throws {
        #expect(try fields(members).tokenType.string == expected)
    }

    @Test("times come as text or numbers, the extended one under either name")
    func times() throws {
        let fields = try fields(
            #""cached_at":1000,"expires_on":"2000.9","ext_expires_on":"3000","refresh_on":"x","last_modification_time":"1562842351.202""#
        )
        #expect(fields.cachedAt == 1000)
        #expect(fields.expiresOn == 2000)
        #expect(fields.extendedExpiresOn == 3000)
        #expect(fields.refreshOn == nil)
        #expect(fields.lastModificationMicroseconds == 1_562_842_351_202_000)
        let both = try self.fields(#""ext_expires_on":"1","extended_expires_on":"2""#)
        #expect(both.extendedExpiresOn == 2)
    }

    @Test("components that cannot be hashed still keep an entry apart", arguments: [#"{"a":1}"#, #"{"a":["x"]}"#])
    func oddComponents(ext: String) throws {
        #expect(try fields("\"ext\":\(ext)").isolation.extendedKey != nil)
    }

    @Test("empty components are none", arguments: ["{}", "{ }", "null"])
    func noComponents(ext: String) throws {
        #expect(try fields("\"ext\":\(ext)").isolation.extendedKey == nil)
    }

    @Test("with components that are not an object, no lookup uses the token")
    func wrongComponents() throws {
        let facts = try parse("{\(Self.base),\"ext\":\"x\"}").facts
        #expect(facts.kind == .accessToken && facts.lacksToken)
    }

    @Test("the owner of an entry is identified by the same fields", arguments: SDKDocument.all)
    func owner(_ document: SDKDocument) throws {
        for (facts, _) in try ReadDocument(HeapWindow(document.json)).entries {
            #expect(isOwner(EntryOwner(facts), of: CredentialFields(facts)))
        }
    }

    @Test("whose an entry is where it names no account, or does so in escapes")
    func ownerWithoutAccount() throws {
        for account in ["", #""home_account_id":null,"#, #""home_account_id":" ","#, #""home_account_id":"\u0055.T","#]
        {
            for user in ["", #""username":" Ann@X ","#, #""username":"\u00C4nn","#] {
                for app in [#""client_id":"C""#, #""client_id":"C","realm":" R ""#, #""client_id":"","realm":"""#] {
                    let json = "{\(account)\(user)\"secret\":\"s\",\"environment\":\"e\",\(app)}"
                    for section in DocumentSection.allCases {
                        let facts = try parse(json, section: UTF8Text("\(section.name)")).facts
                        #expect(isOwner(EntryOwner(facts), of: CredentialFields(facts)), "\(json)")
                    }
                }
            }
        }
    }

    /// Whether the owner says what the fields say, as far as it has to.
    private func isOwner(_ owner: EntryOwner, of fields: CredentialFields) -> Bool {
        guard owner.kind == fields.kind, owner.homeAccountID == fields.homeAccountID else { return false }
        if owner.homeAccountID == nil || owner.kind == .account, owner.username != fields.username { return false }
        guard owner.homeAccountID == nil, owner.username == nil else { return true }
        return (owner.clientID ?? "") == fields.clientID && owner.realm == fields.realm
    }

    @Test("a pool changes nothing but the cost", arguments: 0..<4)
    func pool(part: UInt64) throws {
        var random = RandomJSON(stream: 700 + part)
        var pool = FieldPool()
        for _ in 0..<300 {
            let values = (0..<5).map { _ in random.string() }
            let json = """
                {"secret":"s","client_id":"c\(values[0].dropFirst()),"environment":"e","home_account_id":\(values[1]),
                "realm":\(values[2]),"target":\(values[3]),"family_id":\(values[4])}
                """
            let facts = try parse(json, section: "AccessToken").facts
            #expect(try CredentialFields(decoding: facts.encodedBytes, sharing: &pool) == CredentialFields(facts))
            #expect(isOwner(EntryOwner(facts), of: CredentialFields(facts)))
        }
    }
}
