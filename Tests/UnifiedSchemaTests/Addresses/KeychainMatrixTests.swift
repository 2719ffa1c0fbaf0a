// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UnifiedSchema

/// Keychain addresses of every kind in one table: account, service, generic, type code.
@Suite("Keychain addresses of every kind")
struct KeychainMatrixTests {
    static let table = """
        accessToken plain         | h.t-e | accesstoken-c-r-s1 s2                        | accesstoken-c-r                     | 2001
        accessToken bearer        | h.t-e | accesstoken-c-r-s1 s2                        | accesstoken-c-r                     | 2001
        accessToken pop           | h.t-e | accesstoken_with_authscheme-c-r-s1 s2-pop    | accesstoken_with_authscheme-c-r     | 2007
        accessToken ssh-cert      | h.t-e | accesstoken_with_authscheme-c-r-s1 s2-ssh-cert | accesstoken_with_authscheme-c-r   | 2007
        accessToken application   | h.t-e | accesstoken-c-r-app-s1 s2                    | accesstoken-c-r-app                 | 2001
        accessToken appOnly       | -e    | accesstoken-c-r-s1 s2                        | accesstoken-c-r                     | 2001
        accessToken claims        | h.t-e | accesstoken-c-r-s1 s2\\5a6ffbe               | accesstoken-c-r                     | 2001
        accessTokenWithAuthScheme plain | h.t-e | accesstoken_with_authscheme-c-r-s1 s2  | accesstoken_with_authscheme-c-r     | 2007
        refreshToken plain        | h.t-e | refreshtoken-c--                             | refreshtoken-c-                     | 2002
        refreshToken family       | h.t-e | refreshtoken-1--                             | refreshtoken-1-                     | 2002
        familyRefreshToken family | h.t-e | familyrefreshtoken-1--                       | familyrefreshtoken-1-               | 2008
        primaryRefreshToken plain | h.t-e | primaryrefreshtoken-c--                      | primaryrefreshtoken-c-              | 2005
        primaryRefreshToken family | h.t-e | primaryrefreshtoken-1--                     | primaryrefreshtoken-1-              | 2005
        boundRefreshToken plain   | h.t-e | boundrefreshtoken-c--                        | boundrefreshtoken-c-                | 2009
        idToken plain             | h.t-e | idtoken-c-r-                                 | idtoken-c-r                         | 2003
        v1IDToken plain           | h.t-e | v1idtoken-c-r-                               | v1idtoken-c-r                       | 2006
        account plain             | h.t-e | r                                            | user@x                              | 1003
        appMetadata plain         | E     | appmetadata-c                                | none                                | 3001
        appMetadata family        | E     | appmetadata-c                                | 1                                   | 3001
        accountMetadata plain     | authority_map | C                                    | none                                | 5001
        """

    struct Row: Sendable, CustomTestStringConvertible {
        let parts: KeyParts
        let address: KeychainAddress
        let testDescription: String

        init(_ line: Substring) {
            let columns = line.split(separator: "|").map { UTF8Text(String($0)).trimmed() }
            let words = columns[0].string.split(separator: " ").map(String.init)
            testDescription = words.joined(separator: " ")
            var parts = KeyParts(kind: EntryKind.allCases.first { "\($0)" == words[0] } ?? .opaque)
            (parts.homeAccountID, parts.environment, parts.clientID, parts.realm) = (" H.t", "E", "C", "R")
            (parts.target, parts.username, parts.authorityType) = ("s1 S2", "User@X", "MSSTS")
            switch words[1] {
            case "appOnly": parts.homeAccountID = nil
            case "family": parts.familyID = "1"
            case "application": parts.isolation.application = "App"
            case "claims": parts.isolation.claims = #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#
            case "plain": break
            case let type: parts.tokenType = UTF8Text(type == "bearer" ? "Bearer" : type)
            }
            self.parts = parts
            address = KeychainAddress(
                account: columns[1],
                service: UTF8Text(columns[2].string.replacing("\\", with: "|")),
                generic: columns[3] == "none" ? nil : columns[3],
                type: Int(columns[4].string)
            )
        }
    }

    @Test("each part that an SDK's keys include is in its addresses too", arguments: [KeyFormat.objectiveC, .dotNet])
    func isolation(format: KeyFormat) throws {
        let isDotNet = format == .dotNet
        let plain = KeyParts(try NewEntryTests.token.facts()).keychainAddress(dotNet: isDotNet)
        var formats = NewCredential.namingFormats
        // MSAL for ObjC has no place for a hash of components. Only keys in documents contain it, as other SDKs do.
        if !isDotNet { formats.extendedKey = nil }
        for part in IsolationPart.allCases {
            var token = NewEntryTests.token
            token.isolation[part] = #"{"a":1}"#
            let address = KeyParts(try token.facts()).keychainAddress(dotNet: isDotNet)
            #expect((address != plain) == (formats[part]?.contains(format) ?? false), "\(part)")
        }
    }

    @Test("each line of the table", arguments: table.split(separator: "\n").map { Row($0) })
    func lines(_ row: Row) {
        #expect(row.parts.keychainAddress() == row.address)
    }
}
