// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("Caches of ADAL")
struct LegacyDocumentTests {
    static let item = #"""
        {"tokenType": "Bearer", "expiresIn": 3599, "expiresOn": "2026-11-21 10:00:00.250000", "resource": "https://r.net/",
        "accessToken": "at-secret", "refreshToken": "rt-\"secret", "userId": "Ann@Contoso.com", "isMRRT": true,
        "isUserIdDisplayable": true, "tenantId": "t1", "oid": "o1", "givenName": "Ann", "unknown": [1, {"a": null}],
        "_clientId": "CLIENT", "_authority": "https://Login.Microsoftonline.com/Contoso.com"}
        """#

    /// Reads all of it through windows of one size.
    private func read(
        _ text: String,
        window size: Int = 1 << 20,
        collecting: Bool = false
    ) throws(SchemaError) -> (entries: [DocumentEntry], secrets: [[String]], bad: [SchemaError]) {
        let bytes = Array(text.utf8)
        var reader = DocumentReader(.adal, collectsBadEntries: collecting)
        var (entries, secrets, bad): ([DocumentEntry], [[String]], [SchemaError]) = ([], [], [])
        var (start, end) = (0, min(size, bytes.count))
        while true {
            let window = Array(bytes[start..<end])
            switch try reader.next(in: window.rawSpan, isLast: end == bytes.count) {
            case .entry(let entry):
                entries.append(entry)
                secrets.append(entry.secrets.ranges.map { String(decoding: window[$0], as: UTF8.self) })
            case .bad(let error): bad.append(error)
            case .needsMore(let discarding, let capacity):
                start += discarding
                end = min(bytes.count, max(end + 1, start + min(capacity, size)))
            case .end: return (entries, secrets, bad)
            }
        }
    }

    private func refusal(_ text: String) -> SchemaError? {
        do throws(SchemaError) {
            _ = try read(text)
            return nil
        } catch {
            return error
        }
    }

    @Test("both tokens are secret, and the rest is known by its fields")
    func item() throws {
        let read = try read("[\(Self.item)]")
        #expect(read.secrets == [[#""at-secret""#, #""rt-\"secret""#]])
        let entry = try #require(read.entries.first)
        #expect(entry.secrets.tokenIndex == 1)
        #expect(!entry.facts.encoded().contains("secret".utf8))
        let view = try #require(LegacyTokenView(entry.facts))
        #expect(view.userID == "Ann@Contoso.com")
        #expect(view.isMultiResource == true)
        #expect(view.resource == "https://r.net/")
        let fields = CredentialFields(entry.facts)
        #expect(fields.username == "ann@contoso.com")
        #expect(fields.environment == "login.microsoftonline.com")
        #expect(fields.realm == "contoso.com")
        #expect(fields.clientID == "client")
        #expect(fields.homeAccountID == nil)
        #expect(fields.expiresOn == nil)
        // 09:00:01, wherever that was.
        #expect(fields.cachedAt == 1_795_251_601)
    }

    @Test(
        "items are distinguished as in ADAL, byte by byte, however they are read",
        arguments: [1, 7, 64, 4096]
    )
    func windows(size: Int) throws {
        let other = Self.item.replacing("Ann@Contoso.com", with: "ann@contoso.com")
        let principal = #"{"servicePrincipalId": "sp", "servicePrincipalTenant": "t", "accessToken": "password"}"#
        let application = #"{"accessToken": "a", "resource": "r", "_clientId": "c", "_authority": "https://h/t"}"#
        let read = try read(" [ \(Self.item) ,\n\(other),\(principal),\(application)]\n", window: size)
        #expect(read.entries.count == 4)
        #expect(Set(read.entries.compactMap(\.facts.keyBytes)).count == 4)
        #expect(read.secrets[2] == [#""password""#])
        #expect(CredentialFields(read.entries[2].facts).clientID == "sp")
        #expect(CredentialFields(read.entries[3].facts).username == nil)
    }

    @Test(
        "a document that is not a cache of ADAL is refused with the position",
        arguments: [
            ("", SchemaError.Code.unexpectedEnd, 0), ("{}", .notAnArray, 0), ("5", .notAnArray, 0),
            ("[", .unexpectedEnd, 1), ("[1]", .notAnObject, 1), ("[{},]", .invalidEntry, 1),
            ("[] x", .malformedJSON, 3),
            ("\u{FEFF}[]", .malformedJSON, 0), ("[[]]", .notAnObject, 1), ("[{\"a\":1,\"a\":2}]", .duplicateName, 8),
            (#"[{"accessToken": "a", "_clientId": "c"}]"#, .invalidEntry, 1),
            (#"[{"_authority": "https://h/t", "_clientId": "c"}]"#, .invalidEntry, 1),
            (#"[{"accessToken": "", "_authority": "https://h/t", "_clientId": "c"}]"#, .invalidEntry, 1),
            (#"[{"accessToken": 5, "_authority": "https://h/t", "_clientId": "c"}]"#, .invalidEntry, 1),
            (#"[{"accessToken": "a", "_authority": "https://h/t", "_clientId": ["c"]}]"#, .invalidEntry, 1),
            (#"[{"accessToken": "a", "_authority": "https://h/t", "_clientId": "\ud800"}]"#, .invalidEntry, 1),
            (#"[{"\u0061ccessToken": "a", "_authority": "https://h/t", "_clientId": "c"}]"#, .invalidEntry, 1),
        ]
    )
    func refused(text: String, code: SchemaError.Code, offset: Int) {
        let error = refusal(text)
        #expect(error?.code == code)
        #expect(error?.byteOffset == offset)
    }

    @Test("an item that occurs twice is refused, and depth and size have limits")
    func limits() {
        #expect(refusal("[\(Self.item),\(Self.item)]")?.code == .duplicateName)
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(refusal(#"[{"accessToken": "a", "x": \#(deep)}]"#)?.code == .limitExceeded)
        let long = String(repeating: "a", count: 1 << 20)
        #expect(refusal(#"[{"accessToken": "\#(long)"}]"#)?.code == .limitExceeded)
    }

    @Test("bad items are skipped and reported in their order", arguments: [16, 1 << 20])
    func collecting(size: Int) throws {
        let read = try read("[1, \(Self.item), {}, \"x\", \(Self.item)]", window: size, collecting: true)
        #expect(read.entries.count == 1)
        #expect(read.bad.map(\.code) == [.notAnObject, .invalidEntry, .notAnObject, .duplicateName])
    }

    @Test(
        "times of ADAL are read as far as they are times",
        arguments: [
            ("1970-01-01 00:00:00", 0), ("2000-02-29 12:30:15.5", 951_827_415), ("2026-03-01T00:00:00", 1_772_323_200),
            ("2026-13-01 00:00:00", nil), ("soon", nil), ("", nil), ("2026-11-21", nil),
        ] as [(String, Int64?)]
    )
    func times(text: String, seconds: Int64?) {
        #expect(LegacyTimes.parse(UTF8Text(text)) == seconds)
    }

    @Test(
        "an authority is a host and the first part of a path",
        arguments: [
            ("https://login.microsoftonline.com/common", "login.microsoftonline.com common"),
            (" HTTPS://Host:8443/Tenant/oauth2 ", "host:8443 tenant"), ("http://h/t", nil), ("https://h", nil),
            ("https:///t", nil), ("", nil),
        ] as [(String, String?)]
    )
    func authorities(url: String, parts: String?) {
        let authority = LegacyAuthority(UTF8Text(url))
        #expect(authority.map { "\($0.host) \($0.tenant)" } == parts)
    }
}
