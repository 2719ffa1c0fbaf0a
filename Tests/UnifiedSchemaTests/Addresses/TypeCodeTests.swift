// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UnifiedSchema

@Suite("Type strings and type codes")
struct TypeCodeTests {
    @Test(
        "kinds have the strings and codes of MSAL for ObjC",
        arguments: [
            (EntryKind.accessToken, "AccessToken", 2001), (.refreshToken, "RefreshToken", 2002),
            (.idToken, "IdToken", 2003),
            (.legacySingleResourceToken, "LegacySingleResourceToken", 2004),
            (.primaryRefreshToken, "PrimaryRefreshToken", 2005), (.v1IDToken, "V1IdToken", 2006),
            (.accessTokenWithAuthScheme, "AccessToken_With_AuthScheme", 2007),
            (.familyRefreshToken, "FamilyRefreshToken", 2008), (.boundRefreshToken, "BoundRefreshToken", 2009),
            (.appMetadata, nil, 3001), (.accountMetadata, nil, 5001), (.account, nil, nil), (.opaque, nil, nil),
        ] as [(EntryKind, String?, Int?)]
    )
    func kinds(kind: EntryKind, text: String?, code: Int?) {
        #expect(kind.typeString?.string == text)
        #expect(kind.typeCode == code)
        #expect(kind.isCredential == (text != nil))
        if let text {
            for spelling in [text, text.lowercased(), text.uppercased(), " \(text) "] {
                #expect(EntryKind(typeString: UTF8Text(spelling)) == kind)
            }
        }
    }

    @Test(
        "other strings name no kind",
        arguments: ["", "token", "Access Token", "AccessTokens", "account", "appmetadata"]
    )
    func unknown(text: String) {
        #expect(EntryKind(typeString: UTF8Text(text)) == nil)
    }

    @Test("every kind is of at most one sort", arguments: EntryKind.allCases)
    func sorts(kind: EntryKind) {
        let sorts = [kind.isAccessToken, kind.isIDToken, kind.isRefreshToken]
        #expect(sorts.filter { $0 }.count <= 1)
        if sorts.contains(true) { #expect(kind.isCredential) }
    }

    @Test(
        "an account's code says who issued it",
        arguments: [
            ("MSSTS", 1003), ("AAD", 1001), ("msa", 1002), ("ADFS", 1004), ("Other", 1000), ("novel", nil), ("", nil),
        ]
            as [(String, Int?)]
    )
    func accounts(type: String, code: Int?) {
        var parts = KeyParts(kind: .account)
        parts.authorityType = UTF8Text(type)
        #expect(parts.keychainAddress()?.type == code)
    }

    @Test("sections and kinds belong together", arguments: EntryKind.allCases)
    func sections(kind: EntryKind) {
        let section = DocumentSection(for: kind)
        #expect((section == nil) == (kind == .opaque || kind == .legacySingleResourceToken))
        if let section, kind.isCredential { #expect(section.admits(kind)) }
    }

    @Test("names of sections lead back to them", arguments: DocumentSection.allCases)
    func names(section: DocumentSection) {
        #expect(DocumentSection(name: section.name) == section)
        #expect(DocumentSection(name: section.name.asciiLowercased()) == nil)
    }

    @Test("MSAL.NET on iOS writes its own variants")
    func dotNet() throws {
        var parts = KeyParts(kind: .appMetadata)
        (parts.environment, parts.clientID, parts.familyID) = ("e", "c", "7")
        #expect(parts.keychainAddress(dotNet: true)?.generic == "1")
        #expect(parts.keychainAddress()?.generic == "7")
        var token = KeyParts(kind: .accessToken)
        (token.environment, token.clientID, token.realm, token.target) = ("e", "c", "r", "s")
        token.tokenType = "ssh-cert"
        #expect(token.keychainAddress(dotNet: true)?.service == "accesstoken-c-r-s")
        #expect(token.keychainAddress()?.service == "accesstoken_with_authscheme-c-r-s-ssh-cert")
        token.tokenType = nil
        token.extendedKey = ExtendedKey([ExtendedKey.Component(name: "fmi_path", value: "SomeFmiPath/fmi")])
        #expect(
            token.keychainAddress(dotNet: true)?.service == "atext-c-r-s-lf32b6styhzouosvpn4b0mdypwlb2ickdplmw8buora"
        )
    }
}
