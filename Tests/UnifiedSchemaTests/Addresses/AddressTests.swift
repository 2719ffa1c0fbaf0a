// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("Both addresses of an entry")
struct AddressTests {
    static let vectors =
        AddressVectors.accessTokens + AddressVectors.extendedTokens + AddressVectors.refreshTokens
        + AddressVectors.idTokens + AddressVectors.others

    @Test("document keys are those of each SDK", arguments: vectors)
    func documentKeys(_ vector: AddressVector) throws {
        let facts = try parse(vector.json, section: vector.section).facts
        #expect(facts.kind != .opaque)
        for (format, key) in vector.keys {
            #expect(KeyParts(facts).documentKey(format)?.string == key, "\(format)")
        }
    }

    @Test("keychain addresses are those of MSAL ObjC", arguments: vectors)
    func keychainAddresses(_ vector: AddressVector) throws {
        let facts = try parse(vector.json, section: vector.section).facts
        if let expected = vector.keychain { #expect(KeyParts(facts).keychainAddress() == expected) }
        if let expected = vector.dotNetKeychain {
            #expect(KeyParts(facts).keychainAddress(dotNet: true) == expected)
        }
    }

    @Test("ObjC and Android trim each part, the others do not")
    func trimming() {
        var parts = KeyParts(kind: .account)
        parts.homeAccountID = " A.B "
        parts.environment = "E"
        parts.realm = "R"
        #expect(parts.documentKey(.objectiveC) == "a.b-e-r")
        #expect(parts.documentKey(.android) == "a.b-e-r")
        #expect(parts.documentKey(.python) == " a.b -e-r")
    }

    @Test("only A-Z are folded")
    func folding() {
        var parts = KeyParts(kind: .account)
        parts.homeAccountID = "ÉÉ.B"
        #expect(parts.documentKey(.objectiveC) == "ÉÉ.b--")
    }

    @Test("opaque entries have no address")
    func opaque() throws {
        let facts = try parse("{}").facts
        #expect(KeyParts(facts).documentKey(.standard) == nil)
        #expect(KeyParts(facts).keychainAddress() == nil)
    }

    @Test("items of ADAL are addressed by authority, resource and client")
    func legacy() {
        let item = LegacyKeychainAddress(
            authority: "https://login.microsoftonline.com/Common",
            resource: "resource",
            clientID: "client",
            userID: " Test_UPN@test_devex.com "
        )
        let address = item.address()
        #expect(
            address.service
                == "MSOpenTech.ADAL.1|aHR0cHM6Ly9sb2dpbi5taWNyb3NvZnRvbmxpbmUuY29tL2NvbW1vbg|cmVzb3VyY2U|Y2xpZW50"
        )
        #expect(address.account == "dGVzdF91cG5AdGVzdF9kZXZleC5jb20")
        #expect(address.generic == "MSOpenTech.ADAL.1")
        #expect(address.type == nil)
        #expect(item.address(encodingUser: false).account == "test_upn@test_devex.com")
    }

    @Test("ADAL's refresh token for every resource has a fixed word in place of the resource")
    func multiResource() {
        let item = LegacyKeychainAddress(
            authority: "https://login.microsoftonline.com/common",
            resource: nil,
            clientID: "client",
            userID: "u",
            applicationIdentifier: "app"
        )
        #expect(
            item.address().service
                == "MSOpenTech.ADAL.1-YXBw|aHR0cHM6Ly9sb2dpbi5taWNyb3NvZnRvbmxpbmUuY29tL2NvbW1vbg|CC3513A0-0E69-4B4D-97FC-DFB6C91EE132|Y2xpZW50"
        )
    }
}
