// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UnifiedSchema

/// Nothing that a program may print, log or dump by accident says a secret.
@Suite("No secret is said")
struct SilenceTests {
    private static let secret = "TOPSECRET"

    /// All that printing, debugging and dumping a value show.
    private func shown(_ value: some Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value) \(String(reflecting: value)) \(dumped)"
    }

    @Test("results of the parser show places, not secrets")
    func results() throws {
        let json = #"{"secret":"TOPSECRET","session_key":"TOPSECRET","client_id":"c","environment":"e"}"#
        let result = try parse(json, section: "RefreshToken")
        #expect(!shown(result).contains(Self.secret))
        #expect(!shown(CredentialFields(result.facts)).contains(Self.secret))
    }

    @Test("facts show neither names nor tenants")
    func facts() throws {
        let json = #"{"home_account_id":"uid.TENANT","environment":"e","username":"PERSON@x"}"#
        let facts = try parse(json, section: "Account").facts
        #expect(!shown(facts).contains("PERSON"))
        #expect(!shown(facts).contains("TENANT"))
        #expect(facts.description.contains("account"))
    }

    @Test(
        "errors never repeat what was read",
        arguments: [
            #"{"AccessToken":{"TOPSECRET":5}}"#, #"{"TOPSECRET":1,"TOPSECRET":2}"#, #"{"a":{"k":"TOPSECRET"#,
            #"{"AccessToken":{"k":{"secret":"TOPSECRET","secret":"TOPSECRET"}}}"#, #"{"Account":"TOPSECRET"}"#,
            #"{"AccessToken":{"k":{"secret":TOPSECRET}}}"#, #"{"AccessToken":{"k":{"secret":"TOPSECRET\x"}}}"#,
        ]
    )
    func errors(text: String) {
        let error = #expect(throws: SchemaError.self) { try ReadDocument(HeapWindow(text)) }
        #expect(!shown(error as Any).contains(Self.secret))
        #expect(error?.description.isEmpty == false)
    }

    @Test("an error says rule, line and byte")
    func description() {
        let error = SchemaError(.malformedJSON, at: 12, line: 3, rule: "a rule")
        #expect(error.description == "a rule (line 3, byte 12)")
        #expect(SchemaError(.malformedFacts, at: 4, rule: "a rule").description == "a rule (byte 4)")
    }
}
