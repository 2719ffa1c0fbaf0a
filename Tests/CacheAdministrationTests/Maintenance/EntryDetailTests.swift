// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import Testing
import TokenCaching

@testable import CacheAdministration
@testable import TokenCachingTestSupport

@Suite("One entry in full")
struct EntryDetailTests {
    let fixture = GroupFixture()
    private static let document = Document.sections([
        "AccessToken": [Document.accessToken(secret: "CANARY", more: #", "mine": {"CANARY2": [1]}, "nonce": null"#)],
        "IdToken": [
            """
            "i": {"credential_type": "IdToken", "secret": "e30.eyJzdWIiOiJtZSJ9.x", "home_account_id": "uid.utid",
            "environment": "login.windows.net", "client_id": "client", "realm": "contoso"}
            """
        ],
        "RefreshToken": [Document.refreshToken(secret: "e30.e30.x")],
        "Account": [Document.account(more: #", "note": "\ud800""#)],
        "junk": [#""k": {"x": 1}"#],
    ])

    private func entry(_ kind: CachedEntryKind) throws -> EntryDetail {
        let group = try fixture.createGroup()
        try group.take(Self.document)
        var handle: EntryHandle?
        try group.forEachEntry(matching: EntryFilter(kinds: [kind])) { (entry) throws(TokenCacheError) in
            handle = entry.handle
        }
        return try group.entry(try #require(handle).description)
    }

    @Test("has its fields in the order of its document, and never a secret")
    func fields() throws {
        for isRevealing in [false, true] {
            let fields = try #require(try entry(.accessToken).fields(revealingUnknown: isRevealing))
            #expect(
                fields.map(\.name) == [
                    "credential_type", "secret", "home_account_id", "environment", "client_id", "realm", "target",
                    "cached_at", "expires_on", "mine", "nonce",
                ]
            )
            #expect(fields.map(\.isKnown) == Array(repeating: true, count: 9) + [false, false])
            #expect(fields[1].value == nil)
            #expect(fields[7].value == .string("1000"))
        }
    }

    @Test("reveals unknown fields only on request")
    func unknown() throws {
        let entry = try entry(.accessToken)
        #expect(try entry.fields()?.suffix(2).map(\.value) == [nil, nil])
        let object = JSONValue.object([JSONValue.Member(name: "CANARY2", value: .array([.number("1")]))])
        #expect(try entry.fields(revealingUnknown: true)?.suffix(2).map(\.value) == [object, .null])
    }

    @Test("shows no fields if they are unknown", arguments: [CachedEntryKind.other, .account])
    func untold(kind: CachedEntryKind) throws {
        #expect(try entry(kind).fields() == nil)
    }

    @Test("lends its token to a closure, and nothing if it has none")
    func secret() throws {
        let isToken = try entry(.accessToken).withSecret { (token) throws(TokenCacheError) in
            token.isEqual(to: "CANARY")
        }
        #expect(isToken == true)
        let isThere = try entry(.account).withSecret { (_) throws(TokenCacheError) in true }
        #expect(isThere == nil)
    }

    @Test("decodes signed tokens, and never a refresh token")
    func decoding() throws {
        let claims = JSONValue.object([JSONValue.Member(name: "sub", value: .string("me"))])
        #expect(try entry(.idToken).decodedToken() == .signed(header: .object([]), claims: claims))
        #expect(try entry(.accessToken).decodedToken() == .opaque)
        #expect(try entry(.refreshToken).decodedToken() == nil)
        #expect(try entry(.account).decodedToken() == nil)
    }

    @Test("is in no description and no mirror")
    func silence() throws {
        let entry = try entry(.accessToken)
        for value: Any in [entry, entry.summary, try #require(try entry.fields(revealingUnknown: true))] {
            var dumped = ""
            dump(value, to: &dumped)
            for word in ["CANARY", "uid.utid", "user.read"] {
                #expect(!(dumped + "\(value)" + String(reflecting: value)).contains(word))
            }
        }
    }
}
