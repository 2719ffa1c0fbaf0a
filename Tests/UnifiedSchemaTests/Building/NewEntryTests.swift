// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import Testing

@testable import UnifiedSchema

@Suite("Entries of our own")
struct NewEntryTests {
    static var token: NewCredential {
        var token = NewCredential(kind: .accessToken, environment: "login.windows.net", clientID: "CID")
        token.homeAccountID = "Oid.Tid"
        token.realm = "Tid"
        token.target = "User.Read b A"
        token.cachedAt = 1000
        token.expiresOn = 4600
        return token
    }

    /// The JSON of an entry with the token "tok".
    static func json(_ facts: EntryFacts) throws -> String {
        let payload = payload(ofToken: "tok")
        let whole = try write([(facts, facts.secretCount == 0 ? [] : payload)])
        guard let start = whole.range(of: "\":{\"")?.upperBound, let inner = whole[start...].range(of: "\":{") else {
            return whole
        }
        return String(whole[inner.lowerBound...].dropFirst(2).dropLast(2))
    }

    @Test("the standard form is strict: decimal text, scopes as received, nothing that is null")
    func standard() throws {
        let facts = try Self.token.facts()
        #expect(
            try Self.json(facts)
                == #"{"credential_type":"AccessToken","secret":"tok","home_account_id":"Oid.Tid","environment":"login.windows.net","client_id":"CID","realm":"Tid","target":"User.Read b A","cached_at":"1000","expires_on":"4600"}"#
        )
        #expect(facts.key == "oid.tid-login.windows.net-accesstoken-cid-tid-user.read b a")
        #expect(facts.section == .accessToken)
    }

    @Test(
        "a hash of extra components is written where MSAL Python and Go look for it, unless the entry is MSAL Java's",
        arguments: KeyFormat.allCases
    )
    func extendedHash(format: KeyFormat) throws {
        var token = Self.token
        token.isolation.extendedKey = "hash"
        let facts = try token.facts(format)
        #expect(facts.text(format == .java ? .extCacheKeyHash : .extCacheKey) == "hash")
        #expect(facts.key?.string.contains("-atext-") == (format != .java))
        #expect(facts.key?.string.hasSuffix("-hash") == true)
        #expect(CredentialFields(facts).isolation.extendedKey == "hash")
    }

    @Test("a refresh token stays apart by such a hash", arguments: KeyFormat.allCases)
    func extendedHashOfRefreshToken(format: KeyFormat) throws {
        var token = NewCredential(kind: .refreshToken, environment: "e", clientID: "c")
        token.isolation.extendedKey = "hash"
        #expect(CredentialFields(try token.facts(format)).isolation.extendedKey == "hash")
    }

    @Test("MSAL Python gets its type, its sorted scopes and its extended expiry")
    func python() throws {
        let facts = try Self.token.facts(.python)
        #expect(facts.text(.target) == "A User.Read b")
        #expect(facts.text(.tokenType) == "Bearer")
        #expect(facts.text(.extendedExpiresOn) == "4600")
        #expect(facts.key == "oid.tid-login.windows.net-accesstoken-cid-tid-a user.read b")
    }

    @Test(
        "a bound token is written as each SDK writes it",
        arguments: [
            (KeyFormat.objectiveC, "AccessToken_With_AuthScheme", MemberName.kid, MemberName.tokenType),
            (.dotNet, "AccessToken", .kid, .tokenType), (.java, "AccessToken", .kid, .tokenType),
            (.python, "AccessToken", .keyID, .tokenType), (.go, "AccessToken", .keyid, .tokenType),
            (.javaScript, "AccessToken_With_AuthScheme", .keyID, .tokenType),
            (.android, "AccessToken_With_AuthScheme", .kid, .accessTokenType),
        ]
    )
    func bound(format: KeyFormat, type: String, keyName: MemberName, typeName: MemberName) throws {
        var token = Self.token
        token.tokenType = "Pop"
        token.keyID = "k1"
        let facts = try token.facts(format)
        #expect(facts.text(.credentialType)?.string == type)
        #expect(facts.text(keyName) == "k1")
        #expect(facts.text(typeName) == "Pop")
        #expect(CredentialFields(facts).keyID == "k1")
        #expect(CredentialFields(facts).tokenType == "pop")
    }

    @Test("every format writes a key that its own rules make again", arguments: KeyFormat.allCases)
    func consistentKeys(format: KeyFormat) throws {
        for kind in [EntryKind.accessToken, .refreshToken, .idToken, .v1IDToken, .boundRefreshToken] {
            for variant in 0..<8 {
                var token = Self.token
                token.kind = kind
                if kind == .boundRefreshToken { token.boundDeviceID = "d" }
                if variant & 1 == 1 { token.tokenType = "pop" }
                if variant & 2 == 2 { token.familyID = "1" }
                if variant & 4 == 4 {
                    token.extendedKey = ExtendedKey([ExtendedKey.Component(name: "a\"", value: "b")])
                    token.homeAccountID = nil
                }
                let facts = try token.facts(format)
                let written = KeyFormat.allCases.filter { KeyParts(facts).documentKey($0) == facts.key }
                #expect(written.contains(format) || written.contains(.standard), "\(kind) \(variant)")
            }
        }
    }

    @Test("an isolating member is never lost in a key that cannot include it", arguments: KeyFormat.allCases)
    func isolation(format: KeyFormat) throws {
        let plain = try Self.token.facts(format).key
        var components = Self.token
        components.extendedKey = ExtendedKey([.init(name: "fmi_path", value: "SomeFmiPath/fmi")])
        #expect(try components.facts(format).key != plain)
        #expect(
            CredentialFields(try components.facts(format)).isolation.extendedKey
                == "sqesdoe03ype6mlhjlvqrdmluhkhuswicctrbgkusbo"
        )
        // Each part that some SDK's keys include, alone.
        let named = IsolationPart.allCases.filter { NewCredential.namingFormats[$0] != nil }
        for part in named {
            var token = Self.token
            token.isolation[part] = #"{"a":1}"#
            #expect(try token.facts(format).key != plain, "\(part)")
            #expect(CredentialFields(try token.facts(format)).isolation == token.isolation, "\(part)")
        }
        #expect(named.count >= 3)
    }

    @Test("the key of a stored entry includes the same parts as that of a new one", arguments: KeyFormat.allCases)
    func storedIsolation(format: KeyFormat) throws {
        let plain = KeyParts(try Self.token.facts()).documentKey(format)
        for part in IsolationPart.allCases {
            var token = Self.token
            token.isolation[part] = #"{"a":1}"#
            let key = KeyParts(try token.facts()).documentKey(format)
            // Entries of MSAL Node 5 hold the components of the hash, so new ones that have only a hash take another form.
            let isNode = format == .node5 && part == .extendedKey
            let isNamed = isNode || NewCredential.namingFormats[part]?.contains(format) ?? false
            #expect((key != plain) == isNamed, "\(part)")
        }
    }

    @Test("written documents read back with the same values", arguments: KeyFormat.allCases)
    func fields(format: KeyFormat) throws {
        var token = Self.token
        token.refreshOn = 2800
        token.extendedExpiresOn = 9000
        token.isolation.assertionHash = "Hash"
        let fields = CredentialFields(try token.facts(format))
        #expect(fields.homeAccountID == "oid.tid")
        #expect(fields.target == token.target)
        #expect(fields.tokenType == "bearer")
        #expect(fields.cachedAt == 1000 && fields.expiresOn == 4600)
        #expect(fields.extendedExpiresOn == 9000 && fields.refreshOn == 2800)
        #expect(fields.isolation.assertionHash == "Hash")
    }

    @Test("a token without client or environment, or of no kind of token, is refused")
    func refused() {
        var token = Self.token
        token.clientID = " "
        #expect(throws: SchemaError.self) { try token.facts() }
        token = Self.token
        token.environment = ""
        #expect(throws: SchemaError.self) { try token.facts() }
        for kind in [EntryKind.account, .appMetadata, .opaque, .primaryRefreshToken, .legacySingleResourceToken] {
            token = Self.token
            token.kind = kind
            #expect(throws: SchemaError.self) { try token.facts() }
        }
    }

    @Test("names that need escapes are written so and read back")
    func escapes() throws {
        var account = NewAccount(homeAccountID: "a\"b.\\c", environment: "e", realm: "r\n")
        account.name = "É\u{1}😀"
        let facts = try account.facts()
        #expect(AccountFields(facts)?.name == account.name)
        #expect(facts.key == "a\"b.\\c-e-r")
        let text = try write([(facts, [])])
        #expect(text.contains(#""name":"É\u0001😀""#))
        #expect(try ReadDocument(HeapWindow(text)).entries.map(\.facts) == [facts])
    }
}
