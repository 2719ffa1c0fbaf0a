// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UnifiedSchema

/// Every kind in every format, one table: what changes for one SDK must be seen here.
@Suite("Keys of every kind in every format")
struct KeyMatrixTests {
    /// A line: kind, what is special, and the keys of ObjC, .NET, Java, Python, Go, JS, Android and Node 5. `=` repeats the key before.
    static let table = """
        accessToken plain         | h.t-e-accesstoken-c-r-s1 S2          | = | = | = | h.t-e-accesstoken-c-r-s1 s2-      | h.t-e-accesstoken-c-r-s1 s2-- | h.t-e-accesstoken-c-r-s1 s2 | h.t-e-accesstoken-c-r-s1 s2-
        accessToken bearer        | h.t-e-accesstoken-c-r-s1 s2          | = | = | = | =                                 | h.t-e-accesstoken-c-r-s1 s2-- | h.t-e-accesstoken-c-r-s1 s2 | h.t-e-accesstoken-c-r-s1 s2-
        accessToken pop           | h.t-e-accesstoken_with_authscheme-c-r-s1 s2-pop | = | h.t-e-accesstoken-c-r-s1 s2 | = | h.t-e-accesstoken-c-r-s1 s2-pop | h.t-e-accesstoken_with_authscheme-c-r-s1 s2--pop | h.t-e-accesstoken-c-r-s1 s2-pop | h.t-e-accesstoken_with_authscheme-c-r-s1 s2-pop
        accessToken ssh-cert      | h.t-e-accesstoken_with_authscheme-c-r-s1 s2-ssh-cert | h.t-e-accesstoken-c-r-s1 s2 | = | = | h.t-e-accesstoken-c-r-s1 s2-ssh-cert | h.t-e-accesstoken_with_authscheme-c-r-s1 s2--ssh-cert | h.t-e-accesstoken-c-r-s1 s2 | h.t-e-accesstoken_with_authscheme-c-r-s1 s2-ssh-cert
        accessTokenWithAuthScheme pop | h.t-e-accesstoken_with_authscheme-c-r-s1 s2-pop | = | h.t-e-accesstoken-c-r-s1 s2 | = | h.t-e-accesstoken-c-r-s1 s2-pop | h.t-e-accesstoken_with_authscheme-c-r-s1 s2--pop | h.t-e-accesstoken_with_authscheme-c-r-s1 s2-pop | h.t-e-accesstoken_with_authscheme-c-r-s1 s2-pop
        accessToken appOnly       | -e-accesstoken-c-r-s1 s2             | = | = | = | -e-accesstoken-c-r-s1 s2-         | -e-accesstoken-c-r-s1 s2--    | -e-accesstoken-c-r-s1 s2 | -e-accesstoken-c-r-s1 s2-
        accessToken application   | h.t-e-accesstoken-c-r-app-s1 s2      | h.t-e-accesstoken-c-r-s1 s2 | = | = | h.t-e-accesstoken-c-r-s1 s2- | h.t-e-accesstoken-c-r-s1 s2-- | h.t-e-accesstoken-c-r-s1 s2-app | h.t-e-accesstoken-c-r-s1 s2-
        refreshToken plain        | h.t-e-refreshtoken-c--               | = | = | h.t-e-refreshtoken-c--s1 s2 | h.t-e-refreshtoken-c | h.t-e-refreshtoken-c---- | h.t-e-refreshtoken-c--s1 s2 | h.t-e-refreshtoken-c---
        refreshToken family       | h.t-e-refreshtoken-1--               | = | = | h.t-e-refreshtoken-c--s1 s2 | h.t-e-refreshtoken-1 | h.t-e-refreshtoken-1---- | h.t-e-refreshtoken-1--s1 s2 | h.t-e-refreshtoken-1---
        refreshToken appOnly      | -e-refreshtoken-c--                  | = | null-e-refreshtoken-c-- | -e-refreshtoken-c--s1 s2 | -e-refreshtoken-c | -e-refreshtoken-c---- | -e-refreshtoken-c--s1 s2 | -e-refreshtoken-c---
        familyRefreshToken family | h.t-e-familyrefreshtoken-1--         | = | = | h.t-e-familyrefreshtoken-c--s1 s2 | h.t-e-familyrefreshtoken-1 | h.t-e-familyrefreshtoken-1---- | h.t-e-familyrefreshtoken-1--s1 s2 | h.t-e-familyrefreshtoken-1---
        primaryRefreshToken plain | h.t-e-primaryrefreshtoken-c--        | = | = | h.t-e-primaryrefreshtoken-c--s1 s2 | h.t-e-primaryrefreshtoken-c | h.t-e-primaryrefreshtoken-c---- | h.t-e-primaryrefreshtoken-c--s1 s2 | h.t-e-primaryrefreshtoken-c---
        boundRefreshToken plain   | h.t-e-boundrefreshtoken-c--          | = | = | h.t-e-boundrefreshtoken-c--s1 s2 | h.t-e-boundrefreshtoken-c | h.t-e-boundrefreshtoken-c---- | h.t-e-boundrefreshtoken-c--s1 s2 | h.t-e-boundrefreshtoken-c---
        idToken plain             | h.t-e-idtoken-c-r-                   | = | = | = | h.t-e-idtoken-c-r | h.t-e-idtoken-c-r--- | h.t-e-idtoken-c-r- | h.t-e-idtoken-c-r--
        idToken appOnly           | -e-idtoken-c-r-                      | = | null-e-idtoken-c-r- | -e-idtoken-c-r- | -e-idtoken-c-r | -e-idtoken-c-r--- | -e-idtoken-c-r- | -e-idtoken-c-r--
        v1IDToken plain           | h.t-e-v1idtoken-c-r-                 | = | = | = | h.t-e-v1idtoken-c-r | h.t-e-v1idtoken-c-r--- | h.t-e-v1idtoken-c-r- | h.t-e-v1idtoken-c-r--
        account plain             | h.t-e-r                              | H.t-E-R | h.t-e-r | = | = | h.t-e-t | h.t-e-r | h.t-e-t
        account appOnly           | -e-r                                 | -E-R | -e-r | = | = | = | = | -e-r
        appMetadata plain         | appmetadata-e-c                      | = | = | appmetadata-E-C | appmetadata-e-c | = | = | appmetadata-e-c
        accountMetadata plain     | authority_map-C                      | = | = | = | = | = | = | authority_map-C
        """

    struct Row: Sendable, CustomTestStringConvertible {
        let parts: KeyParts
        let keys: [String]
        let testDescription: String

        init(_ line: Substring) {
            let columns = line.split(separator: "|").map { UTF8Text(String($0)).trimmed().string }
            let words = columns[0].split(separator: " ").map(String.init)
            testDescription = words.joined(separator: " ")
            var parts = KeyParts(kind: EntryKind.allCases.first { "\($0)" == words[0] } ?? .opaque)
            (parts.homeAccountID, parts.environment, parts.clientID, parts.realm) = ("H.t", "E", "C", "R")
            parts.target = "s1 S2"
            switch words[1] {
            case "appOnly": parts.homeAccountID = nil
            case "family": parts.familyID = "1"
            case "application": parts.isolation.application = "App"
            case "plain": break
            case let type: parts.tokenType = UTF8Text(type == "bearer" ? "Bearer" : type)
            }
            self.parts = parts
            var keys: [String] = []
            for column in columns.dropFirst() { keys.append(column == "=" ? keys[keys.count - 1] : column) }
            self.keys = keys.map { $0.replacing("s1 S2", with: "s1 s2") }
        }
    }

    static let rows = table.split(separator: "\n").map { Row($0) }

    @Test("each cell of the table", arguments: rows)
    func cells(_ row: Row) {
        #expect(row.keys.count == KeyFormat.allCases.count)
        for (format, expected) in zip(KeyFormat.allCases, row.keys) {
            #expect(row.parts.documentKey(format)?.string == expected, "\(format)")
        }
    }

    @Test("the table has every kind that has keys")
    func complete() {
        let kinds = Set(Self.rows.map(\.parts.kind))
        let keyed = EntryKind.allCases.filter { $0 != .opaque && $0 != .legacySingleResourceToken }
        #expect(kinds == Set(keyed))
    }

    @Test(
        "kinds of ADAL and what is opaque have neither key nor address",
        arguments: [EntryKind.opaque, .legacySingleResourceToken]
    )
    func none(kind: EntryKind) {
        for format in KeyFormat.allCases { #expect(KeyParts(kind: kind).documentKey(format) == nil) }
        #expect(KeyParts(kind: kind).keychainAddress() == nil)
    }
}
