// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("Clients that may use a token")
struct TokenHolderTests {
    @Test(
        "is read as lookups read it",
        arguments: [
            #""client_id":"c""#, #""client_id":" C ""#, #""client_id":"\u0063""#, #""client_id":"other""#,
            #""client_id":null"#, #""client_id":"c","family_id":" ""#,
            #""client_id":"c","family_id":"1","environment":"LOGIN.x""#,
            #""client_id":"c","environment":"login.x","family_id":"\u0031""#,
            #""client_id":"c","expires_on":"1700000000""#, #""client_id":"c","expires_on":1700000000"#,
        ],
        ["AccessToken", "RefreshToken"] as [UTF8Text]
    )
    func fields(members: String, section: UTF8Text) throws {
        let environment = members.contains("environment") ? "" : #""environment":"a.b","#
        let json = #"{"secret":"s","home_account_id":"u.t",\#(environment)\#(members)}"#
        let facts = try parse(json, section: section).facts
        let fields = CredentialFields(facts)
        let holder = try TokenHolder(decoding: facts.encodedBytes, client: "c")
        #expect(holder.isOwn == (fields.clientID == "c"))
        #expect(holder.familyID == fields.familyID)
        #expect(holder.expiresOn == fields.expiresOn)
        #expect(holder.isFamilyToken == fields.isFamilyToken)
        if fields.isFamilyToken { #expect(holder.environment == fields.environment) }
    }

    @Test("facts that were cut short are malformed")
    func short() throws {
        let facts = try parse(#"{"secret":"s","client_id":"c"}"#, section: "RefreshToken").facts
        for count in 0..<facts.encoded().count {
            let bytes = Array(facts.encoded().prefix(count))
            #expect(throws: SchemaError.self) { try TokenHolder(decoding: bytes.rawSpan, client: "c") }
        }
    }
}
