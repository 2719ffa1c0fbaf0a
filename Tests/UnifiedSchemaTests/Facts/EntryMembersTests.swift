// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("Reading one entry")
struct EntryMembersTests {
    @Test("an access token becomes facts, and its secret only a place")
    func accessToken() throws {
        let result = try parse(pythonAccessToken)
        #expect(result.facts.kind == .accessToken)
        #expect(result.facts.text(.homeAccountID) == "UID.utid")
        #expect(result.facts.text(.secret) == nil)
        #expect(result.facts.has(.secret))
        #expect(result.facts.seconds(.expiresOn) == 4600)
        #expect(secretTexts(result, in: pythonAccessToken) == ["\"ey.secret.token\""])
        #expect(result.secrets.tokenIndex == 0)
        #expect(result.facts.key == "key")
        #expect(!String(decoding: result.facts.encoded(), as: UTF8.self).contains("ey.secret"))
    }

    @Test("members that lookups compare are trimmed and folded")
    func fields() throws {
        let fields = CredentialFields(try parse(pythonAccessToken).facts)
        #expect(fields.homeAccountID == "uid.utid")
        #expect(fields.environment == "login.example.com")
        #expect(fields.tokenType == "bearer")
        #expect(fields.target == "s3 s1 s2")
        #expect(fields.cachedAt == 1000)
        #expect(fields.extendedExpiresOn == 4601)
        #expect(fields.refreshOn == 2800)
        #expect(fields.familyID == nil)
    }

    @Test("encoded facts give the same facts back")
    func roundTrip() throws {
        let facts = try parse(pythonAccessToken).facts
        #expect(try EntryFacts(decoding: facts.encoded()) == facts)
    }

    @Test(
        "what cannot be relied on is opaque, and all of it secret",
        arguments: [
            #"{"foo":"bar"}"#,
            #"{"secret":"s","client_id":"c","environment":7}"#,
            #"{"secret":"s","client_id":"c","environment":"e","home_account_id":5}"#,
            #"{"secret":"s","client_id":"c","environment":"e","credential_type":"RefreshToken"}"#,
            #"{"secret":"s","client_id":"c","environment":"e","credential_type":"Novel"}"#,
            #"{"secret":"s","client_id":"c","environment":"e","realm":"\ud800"}"#,
            #"{"secret":"s","client_id":"c","environment":"e","re\u0061lm":"r"}"#,
            "{}",
        ]
    )
    func opaque(_ json: String) throws {
        let result = try parse(json)
        #expect(result.facts.kind == .opaque)
        #expect(secretTexts(result, in: json) == [json])
    }

    @Test("an unknown section makes any entry opaque")
    func unknownSection() throws {
        let result = try parse(pythonAccessToken, section: "Other")
        #expect(result.facts.kind == .opaque)
        #expect(result.facts.sectionName == "Other")
    }
}
