// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("New over old")
struct MergeTests {
    static let old = #"""
        {"home_account_id":"u.t","environment":"login.microsoftonline.com","realm":"t","custom":{"x":[1.50,null]},
        "username":"old@x","family_name":null,"avatar":"\u00e9","name":"Old"}
        """#

    @Test("an account keeps its unknown members, their order and their text")
    func account() throws {
        let old = try parse(Self.old, section: "Account").facts
        var new = NewAccount(homeAccountID: "u.t", environment: "login.windows.net", realm: "t")
        new.username = "new@x"
        new.familyName = "F"
        let merged = try new.facts(mergedOver: old)
        let text = try write([(merged, [])])
        #expect(
            text
                == #"{"Account":{"u.t-login.windows.net-t":{"home_account_id":"u.t","environment":"login.windows.net","realm":"t","custom":{"x":[1.50,null]},"username":"new@x","family_name":"F","avatar":"\u00e9","name":"Old","authority_type":"MSSTS"}}}"#
        )
    }

    @Test("a merge without new members changes only the given ones")
    func idempotent() throws {
        let new = NewAccount(homeAccountID: "u.t", environment: "e", realm: "t")
        let once = try new.facts(mergedOver: try parse(Self.old, section: "Account").facts)
        #expect(try new.facts(mergedOver: once) == once)
    }

    private static var known: NewAccount {
        var account = NewAccount(homeAccountID: "u.t", environment: "e", realm: "t")
        account.username = "old@x"
        account.name = "Old"
        return account
    }

    @Test("an account is contained in an old entry if merging it would change nothing")
    func told() throws {
        let old = try Self.known.facts(mergedOver: try parse(Self.old, section: "Account").facts)
        #expect(Self.known.isContained(in: old))
        #expect(try Self.known.facts(KeyFormat(detecting: old), mergedOver: old) == old)
    }

    @Test("new members of an account are not contained in the old entry", arguments: 0..<6)
    func news(which: Int) throws {
        let old = try Self.known.facts(mergedOver: try parse(Self.old, section: "Account").facts)
        var new = Self.known
        switch which {
        case 0: new.username = "new@x"
        case 1: new.realm = "other"
        case 2: new.givenName = "G"
        case 3: new.clientInfo = "x"
        case 4: new.familyName = "F"
        default: new.name = "old"
        }
        #expect(!new.isContained(in: old))
    }

    @Test("an account under a key that no SDK gives it is not contained in the old entry")
    func foreignKey() throws {
        let old = try Self.known.facts(mergedOver: try parse(Self.old, section: "Account").facts)
        #expect(!Self.known.isContained(in: old.under("another-key")))
    }

    @Test("Android's given name has a separate member")
    func android() throws {
        var new = NewAccount(homeAccountID: "u.t", environment: "e", realm: "t")
        new.givenName = "G"
        let facts = try new.facts(.android)
        #expect(facts.text(.firstName) == "G")
        #expect(facts.text(.givenName) == nil)
        #expect(AccountFields(facts)?.givenName == "G")
    }

    @Test("MSAL Python's accounts always have a user name")
    func python() throws {
        let facts = try NewAccount(homeAccountID: "u.t", environment: "e", realm: "t").facts(.python)
        #expect(facts.rawJSON(.username) == Array("\"\"".utf8))
    }

    @Test("an account without any name is refused")
    func nameless() {
        #expect(throws: SchemaError.self) { try NewAccount(homeAccountID: nil, environment: "e", realm: "t").facts() }
    }

    @Test("a family that ended is emptied, or left out where the SDK leaves it out")
    func family() throws {
        let json = #"{"client_id":"c","environment":"e","family_id":"1","more":true}"#
        let old = try parse(json, section: "AppMetadata").facts
        let new = NewAppMetadata(clientID: "c", environment: "e", familyID: "")
        let standard = try new.facts(mergedOver: old)
        #expect(standard.rawJSON(.familyID) == Array("\"\"".utf8))
        #expect(CredentialFields(standard).familyID == nil)
        #expect(try write([(standard, [])]).contains(#""more":true"#))
        let python = try new.facts(.python, mergedOver: old)
        #expect(python.rawJSON(.familyID) == nil)
        #expect(throws: SchemaError.self) { try NewAppMetadata(clientID: "", environment: "e", familyID: "1").facts() }
    }

    @Test("a secret that an SDK put into an account stays in its payload")
    func secretInside() throws {
        let json = #"{"home_account_id":"u.t","environment":"e","session_key":"k"}"#
        let result = try parse(json, section: "Account")
        let merged = try NewAccount(homeAccountID: "u.t", environment: "e", realm: "t").facts(mergedOver: result.facts)
        #expect(merged.secretCount == 1)
        let text = try write([(merged, payload(result.secrets, of: Array(json.utf8).rawSpan))])
        #expect(text.contains(#""session_key":"k""#))
    }
}
