// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("Facts")
struct EntryFactsTests {
    static let odd = #"""
        {"secret":"s","client_id":"c","environment":"e\u00e9","home_account_id":null,"expires_on":1562842351.9,
         "cached_at":"abc","refresh_on":"\u0031\u0032","custom":[1, 2],"\u0063ustom2":"x\ud800","":{},
         "extended_expires_on":1e999,"last_recovery_attempt_failed":"YES","name":"\ud800"}
        """#

    @Test("members are read with their types, tolerantly")
    func members() throws {
        let facts = try parse(Self.odd).facts
        #expect(facts.kind == .accessToken)
        #expect(facts.text(.environment) == "eé")
        #expect(facts.text(.homeAccountID) == nil)
        #expect(!facts.has(.homeAccountID))
        #expect(facts.rawJSON(.homeAccountID) == Array("null".utf8))
        #expect(facts.seconds(.expiresOn) == 1_562_842_351)
        #expect(facts.seconds(.cachedAt) == nil)
        #expect(facts.seconds(.refreshOn) == 12)
        #expect(facts.seconds(.extendedExpiresOn) == nil)
        #expect(facts.seconds(.cachedAt, .refreshOn) == 12)
        #expect(facts.boolean(.lastRecoveryAttemptFailed) == true)
        #expect(facts.text(.name) == nil)
        #expect(facts.has(.name))
        #expect(facts.rawJSON(.secret) == nil)
        #expect(facts.rawJSON(.environment) == Array(#""e\u00e9""#.utf8))
        #expect(facts.text(.realm) == nil)
    }

    @Test("no key is not the empty key")
    func keys() throws {
        let keyed = try parse("{}", section: "Other", key: "").facts
        let bare = try parse("{}", section: "Other", key: nil).facts
        #expect(keyed != bare)
        #expect(keyed.keyBytes == [])
        #expect(bare.keyBytes == nil)
        #expect(bare.key == nil)
    }

    @Test(
        "keys and sections keep their bytes, whatever they contain",
        arguments: ["a\"b", "é", "e\u{301}", "\u{1}", "\\u0041"]
    )
    func oddNames(name: String) throws {
        let facts = try parse("{}", section: UTF8Text(name), key: UTF8Text(name)).facts
        #expect(facts.keyBytes == Array(name.utf8))
        #expect(facts.sectionBytes == Array(name.utf8))
        #expect(facts.key == UTF8Text(name))
        #expect(facts.section == nil)
    }

    @Test("keys with different lone surrogates are different keys")
    func loneSurrogateKeys() throws {
        let read = try ReadDocument(HeapWindow(#"{"X":{"\ud800":1,"\ud801":2,"\ufffd":3}}"#))
        #expect(Set(read.entries.map { $0.facts.keyBytes }).count == 3)
        #expect(try write(read.entries) == #"{"X":{"\ud800":1,"\ud801":2,"\ufffd":3}}"#)
    }

    @Test("encoding and decoding entries of any shape changes nothing")
    func roundTrip() throws {
        var random = RandomJSON(stream: 300)
        var kinds: Set<EntryKind> = []
        for _ in 0..<1_600 {
            let json = random.entry()
            let section = random.pick(DocumentSection.allCases).name
            guard let result = try? parse(json, section: section) else { continue }
            kinds.insert(result.facts.kind)
            let decoded = try EntryFacts(decoding: result.facts.encoded())
            #expect(decoded == result.facts)
            #expect(decoded.kind == result.facts.kind)
            #expect(decoded.secretCount == result.secrets.ranges.count)
        }
        #expect(kinds.count >= 2)
    }

    @Test("truncated facts are refused at every length")
    func truncated() throws {
        let whole = try parse(Self.odd).facts.encoded()
        var pool = FieldPool.none
        for end in 0..<whole.count {
            let part = Array(whole[..<end])
            #expect(throws: SchemaError.self) { try EntryFacts(decoding: part) }
            #expect(throws: SchemaError.self) { try CredentialFields(decoding: part.rawSpan, sharing: &pool) }
        }
        #expect(throws: SchemaError.self) { try EntryFacts(decoding: whole + [0]) }
    }

    @Test("damaged facts throw, or read as facts that are encoded to the same again", arguments: 0..<4)
    func damaged(part: UInt64) throws {
        var random = RandomJSON(stream: 500 + part)
        for _ in 0..<10 {
            guard let facts = try? parse(random.entry(), section: "AccessToken").facts else { continue }
            for _ in 0..<150 {
                var bytes = facts.encoded()
                for _ in 0..<random.pick([1, 1, 2, 5]) {
                    let index = Int.random(in: 0..<bytes.count, using: &random.generator)
                    bytes[index] =
                        random.chance(50) ? bytes[index] ^ (1 << UInt8(index & 7)) : random.pick([0, 127, 128, 255])
                }
                try exercise(bytes)
            }
        }
    }

    /// Calls whatever reads facts.
    private func exercise(_ bytes: [UInt8]) throws {
        var pool = FieldPool.none
        _ = try? CredentialFields(decoding: bytes.rawSpan, sharing: &pool)
        guard let facts = try? EntryFacts(decoding: bytes) else { return }
        #expect(try EntryFacts(decoding: facts.encoded()) == facts)
        _ = facts.key
        _ = facts.sectionName
        _ = facts.secretCount
        _ = KeyParts(facts).documentKey(.standard)
        _ = KeyParts(facts).keychainAddress()
        _ = KeyFormat(detecting: facts)
        _ = CredentialFields(facts)
        for name in MemberName.allCases {
            _ = (facts.text(name), facts.seconds(name), facts.boolean(name), facts.rawJSON(name), facts.has(name))
        }
    }

    @Test("facts of a newer version are recognised")
    func version() throws {
        var bytes = try parse(pythonAccessToken).facts.encoded()
        bytes[0] = 3
        let error = #expect(throws: SchemaError.self) { try EntryFacts(decoding: bytes) }
        #expect(error?.code == .unsupportedVersion)
    }

    @Test("the position of an entry is a part of its encoded form, but not of the entry")
    func position() throws {
        let facts = try parse(pythonAccessToken).facts
        let placed = facts.placed(at: 0x0102_0304)
        #expect(facts.position == 0 && placed.position == 0x0102_0304)
        #expect(placed == facts && Set([placed, facts]).count == 1)
        #expect(Array(placed.encoded()[1...4]) == [4, 3, 2, 1])
        #expect(placed.encoded()[5...] == facts.encoded()[5...])
        #expect(try EntryFacts(decoding: placed.encoded()).position == 0x0102_0304)
        #expect(placed.placed(at: 7).position == 7)
    }

    @Test("facts of the version without a position are read, and get one when they are written")
    func versionWithoutPosition() throws {
        let facts = try parse(pythonAccessToken).facts
        let older = [1] + facts.encoded()[5...]
        let read = try EntryFacts(decoding: older)
        #expect(read == facts && read.position == 0 && read.text(.clientID) == facts.text(.clientID))
        #expect(CredentialFields(read) == CredentialFields(facts))
        #expect(read.placed(at: 5).encoded() == facts.placed(at: 5).encoded())
    }

    @Test("the encoded form is the one that was published")
    func golden() throws {
        let json = #"{"secret":"s","client_id":"C","expires_on":7,"new":"\n","environment":"e"}"#
        let bytes = try parse(json, key: "k").facts.encoded()
        var expected: [UInt8] = [2, 0, 0, 0, 0, 1, 1, 1, 1, 0x6B, 5]
        expected += [6, 0]
        expected += [4, 6, 0x43]
        expected += [9, 5, 0x37]
        expected += [0, 6, 0x6E, 0x65, 0x77, 11, 0x5C, 0x6E]
        expected += [2, 6, 0x65]
        #expect(bytes == expected)
    }

    @Test("numbers of kinds and sections never change")
    func stableNumbers() {
        #expect(EntryKind.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 127])
        #expect(DocumentSection.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test("numbers of names never change: each is the place in this list")
    func stableNames() {
        let names = """
            home_account_id environment realm client_id credential_type
            secret target cached_at expires_on extended_expires_on
            refresh_on token_type family_id last_modification_time ext_expires_on
            kid keyid key_id user_assertion_hash userAssertionHash
            requested_claims requestedClaims requestedClaimsHash ext_cache_key ext
            persisted_cache_parameters application_cache_identifier application_identifier enrollment_id mam_enrollment_identifier
            spe_info expires_in redirect_uri recovery_attempted_at recovery_attempt_count
            last_recovery_attempt_failed last_modification_app access_token_type authority client_info
            bound_device_id session_key device_id prt_protocol_version external_key_type
            session_key_rolling_date local_account_id username authority_type name
            given_name family_name middle_name first_name avatar_url
            alternative_account_id account_source wam_account_ids tenantProfiles principal_home_account_id
            principal_username principal_account_environment account_metadata_map athority_map sign_in_state
            accessToken refreshToken tokenType accessTokenType expiresIn
            expiresOn createdOn cachedAt resource userId
            isUserIdDisplayable tenantId givenName familyName oid
            identityProvider isMRRT _clientId _authority clientId
            familyId homeAccountId enrollmentId applicationIdentifier userInformation
            additionalServer additionalClient servicePrincipalId servicePrincipalTenant application_token
            additionalCacheKeyComponents additionalCacheKeyComponentsHash ext_cache_key_hash
            issuer
            """
        let expected = names.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(MemberName.allCases.map { "\($0.text)" } == expected)
        #expect(MemberName.allCases.map { Int($0.rawValue) } == Array(1...expected.count))
    }

    @Test("every known name is found again", arguments: MemberName.allCases)
    func names(name: MemberName) {
        let text = Array("\(name.text)".utf8)
        let found = MemberNameTable.shared.name(text.rawSpan)
        let other = MemberNameTable.shared.name((text + [0x78]).rawSpan)
        #expect(found == name)
        #expect(other != name)
        var set = MemberSet()
        set.insert(name)
        #expect(MemberName.allCases.filter(set.contains) == [name])
    }
}
