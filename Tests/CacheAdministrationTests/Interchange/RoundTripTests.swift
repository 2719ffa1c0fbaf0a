// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("An export equals the document that was imported")
struct RoundTripTests {
    let fixture = GroupFixture()

    /// Documents as odd as those that are found, by name.
    static let documents: [String: String] = [
        "empty": "{}",
        "an empty section that is none of a cache": #"{"other": {}}"#,
        "blank secrets": """
        {"AccessToken": {"k": {"credential_type": "AccessToken", "secret": "", "home_account_id": "a.b",
        "environment": "e", "client_id": "c", "realm": "r", "target": "t"}, "l": {"credential_type": "AccessToken",
        "secret": "\\u0020\\t", "environment": "e", "client_id": "c"}}, "RefreshToken": {"k": {"credential_type":
        "RefreshToken", "secret": null, "home_account_id": "a.b", "environment": "e", "client_id": "c"}}}
        """,
        // Keys as in lib/msal-node/src/cache/CacheHelpers.ts of AzureAD/microsoft-authentication-library-for-js at
        // 09771daa40e5e54e414ae141d91489747337aefe, lines 26 to 71.
        "MSAL Node 5": Document.sections([
            "AccessToken": [
                Document.accessToken(
                    key: "uid.utid-login.windows.net-accesstoken-client-contoso-user.read-",
                    more: #", "token_type": "Bearer", "resource": "https://mcp.example""#
                ),
                Document.accessToken(
                    key: "uid.utid-login.windows.net-accesstoken-client-contoso-user.read--hash",
                    more: #", "additionalCacheKeyComponents": {"fmi_path": "agent-a"}"#
                ),
            ],
            "RefreshToken": [Document.refreshToken(key: "uid.utid-login.windows.net-refreshtoken-client---")],
        ]).text,
        "scalars": """
        {"version": 3, "name": "x", "nothing": null, "yes": true, "list": [1, {"a": [2]}], "n": 1.50e3}
        """,
        "unknown sections": """
        {"unknownEntity": {"field1": {"foo": "bar"}, "": {"a": null}, "x": 1, "y": [], "z": null}}
        """,
        "junk beside app metadata": """
        {"AppMetadata": {"AppMetadata-login.windows.net-my_client_id": {"environment": "login.windows.net",
        "client_id": "my_client_id", "family_id": "1"}, "an-entry": {"foo": "bar"}}}
        """,
        "unknown fields": Document.sections([
            "AccessToken": [
                Document.accessToken(more: #", "extra": {"deep": [1, 2, {"x": null}]}, "n": 1.0, "b": false"#)
            ],
            "Account": [Document.account(more: #", "wam_account_ids": {"a": "b"}, "nothing": null"#)],
        ]).text,
        "number times": """
        {"AccessToken": {"k": {"credential_type": "AccessToken", "secret": "s", "home_account_id": "a.b",
        "environment": "e", "client_id": "c", "realm": "r", "target": "t", "cached_at": 1000, "expires_on": 4600.0,
        "extended_expires_on": null}}}
        """,
        "mixed-case keys": Document.sections([
            "RefreshToken": [
                Document.refreshToken(key: "UID.utid-login.windows.net-RefreshToken-Client"),
                Document.refreshToken(key: "uid.utid-login.windows.net-refreshtoken-client"),
            ]
        ]).text,
        "JavaScript keys": Document.sections([
            "AccessToken": [
                Document.accessToken(key: "uid.utid-login.windows.net-accesstoken-client-contoso-user.read--")
            ],
            "RefreshToken": [Document.refreshToken(key: "uid.utid-login.windows.net-refreshtoken-client----")],
            "Account": [Document.account(more: #", "tenantProfiles": ["{\"tenantId\":\"contoso\"}"]"#)],
        ]).text,
        "refresh tokens under several targets": Document.sections([
            "RefreshToken": [
                Document.refreshToken(key: "uid.utid-h-refreshtoken-client--s1", more: #", "target": "s1""#),
                Document.refreshToken(key: "uid.utid-h-refreshtoken-client--s1 s2", more: #", "target": "s1 s2""#),
                Document.refreshToken(key: "uid.utid-h-refreshtoken-client--s2", secret: "other"),
            ]
        ]).text,
        "letters of all kinds": Document.sections([
            "Account": [
                Document.account(
                    user: "ü.ñ",
                    username: "jos\u{e9}@contoso.com",
                    more: #", "name": "\u65e5\u672c \ud83d\ude00""#
                ),
                Document.account(user: "o\u{308}.n\u{303}", username: "jose\u{301}@contoso.com"),
            ]
        ]).text,
        "weird keys": """
        {"": {"": {"a": 1}}, "AccessToken": {"": {"foo": 1}, "\\u0000": {"foo": 2}, "a\\"b": {"foo": 3}, " ": {}},
        "accesstoken": {"x": {"credential_type": "AccessToken"}}}
        """,
        "secrets of odd forms": """
        {"AccessToken": {"a": {"credential_type": "AccessToken", "secret": "\\u0065\\ud83d\\ude00\\\\\\"", "client_id": "c",
        "environment": "e", "home_account_id": "h"}, "b": {"credential_type": "AccessToken", "secret": 5},
        "c": {"credential_type": "AccessToken", "secret": null}, "d": {"secret": ["x"]}, "e": {"secret": ""}}}
        """,
        "sections of the macOS keychain": """
        {"AccessToken_With_AuthScheme": {"k": {"credential_type": "AccessToken_With_AuthScheme", "secret": "s",
        "home_account_id": "h", "environment": "e", "client_id": "c", "realm": "r", "target": "t", "token_type": "pop",
        "kid": "1"}, "junk": {"a": 1}}, "AccountMetadataMap": {"authority_map-c": {"client_id": "c",
        "account_metadata_map": {"h": {"sign_in_state": "signed_in"}}}}}
        """,
        "kinds of refresh tokens": Document.sections([
            "RefreshToken": [
                Document.refreshToken(key: "a", more: #", "family_id": "1""#),
                Document.refreshToken(key: "b", client: "two", more: #", "family_id": """#),
                """
                "c": {"credential_type": "PrimaryRefreshToken", "secret": "p", "session_key": "k", "home_account_id": "h",
                "environment": "e", "client_id": "c", "external_key_type": "0", "prt_protocol_version": "3.0"}
                """,
                """
                "d": {"credential_type": "BoundRefreshToken", "secret": "p", "bound_device_id": "k",
                "home_account_id": "h", "environment": "e", "client_id": "c"}
                """,
            ]
        ]).text,
    ]

    @Test("sections of a cache that are empty or null have no entries, and are none in an export")
    func emptySections() throws {
        let group = try fixture.createGroup()
        let text = #"{"AccessToken": {}, "RefreshToken": null, "Account": { }, "IdToken": null, "AppMetadata": {}}"#
        let report = try group.take(Document(text))
        #expect(report.counts.total == 0 && report.entryCount == 0 && report.hasSections)
        #expect(try group.give().value == Document("{}").value)
        for none in ["{}", #"{"AccessToken": null}"#] { #expect(try !group.take(Document(none)).hasSections) }
        let other = try group.take(Document(#"{"other": {"a": {}}}"#))
        #expect(other.counts.total == 1 && other.entryCount == 0 && !other.hasSections)
    }

    @Test("NaN and infinities are bad entries", arguments: ["NaN", "Infinity", "-Infinity"])
    func notANumber(word: String) throws {
        let group = try fixture.createGroup()
        let good = Document.accessToken(key: "good")
        let bad = Document.accessToken(key: "bad", more: #", "x": [{"y": \#(word)}]"#)
        let document = Document.sections(["AccessToken": [bad, good]])
        let error = #expect(throws: TokenCacheError.self) { try group.take(document) }
        #expect(error?.code == .malformedDocument && error?.detail?.contains("NaN and infinities are no JSON") == true)
        let report = try group.take(document, ImportOptions(skipsBadEntries: true))
        #expect(report.badCount == 1 && report.counts.new == 1)
        #expect(try group.give().value == Document.sections(["AccessToken": [good]]).value)
    }

    @Test("in the encrypted file", arguments: documents.keys.sorted())
    func file(name: String) throws {
        let document = Document(try #require(Self.documents[name]))
        let original = try #require(document.value)
        let group = try fixture.createGroup()
        let report = try group.take(document)
        #expect(report.badCount == 0)
        #expect(report.counts.new == report.counts.total)
        #expect(try group.give().value == original)
        let reopened = CacheGroup(try fixture.open())
        #expect(try reopened.give().value == original)
    }

    @Test("in memory", arguments: documents.keys.sorted())
    func memory(name: String) throws {
        let document = Document(try #require(Self.documents[name]))
        let group = try CacheGroup.open("group", storage: .memory)
        try group.take(document)
        #expect(try group.give().value == document.value)
        #expect(try group.give(ExportOptions(isIndented: true)).value == document.value)
    }

    @Test("a second time nothing is written", arguments: documents.keys.sorted())
    func twice(name: String) throws {
        let document = Document(try #require(Self.documents[name]))
        let group = try fixture.createGroup()
        let first = try group.take(document)
        let journal = fixture.contents("journal")
        let second = try group.take(document)
        #expect(second.counts.unchanged == first.counts.new)
        #expect(!second.hasChanges)
        #expect(second.counts.total == first.counts.total)
        #expect(fixture.contents("journal") == journal)
    }

    @Test("number text, nulls and the order of members survive letter by letter")
    func exactText() throws {
        let entry = #"{"z":1.50E+3,"secret":"s","b":null,"a":-0,"client_id":"c","environment":"e"}"#
        let text = #"{"AccessToken":{"k":\#(entry)},"n":1e5}"#
        let group = try fixture.createGroup()
        try group.take(Document(text))
        #expect(try group.give().text == text)
    }

    @Test("keys that differ in their composition only are two keys")
    func composition() throws {
        let names = ["\u{fc}", "u\u{308}"]
        let entries = names.map { #""\#($0)":{"home_account_id":"\#($0)"}"# }
        let text = #"{"Account":{\#(entries.joined(separator: ","))}}"#
        let group = try fixture.createGroup()
        #expect(try group.take(Document(text)).counts.new == 2)
        // Foundation takes the two for one, so the text itself must do.
        let given = try group.give().text
        #expect(given.utf8.count == text.utf8.count)
        #expect(try group.take(Document(given)).counts.unchanged == 2)
    }

    @Test("exporting twice gives the same bytes")
    func stableOrder() throws {
        let tokens = (0..<40).map { Document.accessToken(user: "u\($0).t", secret: "s\($0)") }
        let group = try fixture.createGroup()
        try group.take(.sections(["AccessToken": tokens]))
        #expect(try group.give().text == group.give().text)
    }
}
