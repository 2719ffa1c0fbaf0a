// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import GroupRecords
import RecordStorage
import Sealing
import UnifiedSchema

@testable import TokenCaching

/// An entry of a document, made for a test: members in order, each with its JSON text.
struct TestEntry {
    let section: DocumentSection
    var members: [(name: String, json: String)]
    var key: String?

    init(_ section: DocumentSection, _ members: [(String, String?)], key: String? = nil) {
        self.section = section
        self.members = members.compactMap { name, value in value.map { (name, TestEntry.quoted($0)) } }
        self.key = key
    }

    static func quoted(_ text: String) -> String {
        let data = try? JSONSerialization.data(
            withJSONObject: text,
            options: [.fragmentsAllowed, .withoutEscapingSlashes]
        )
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    /// The same entry with a member set, or taken away.
    func with(_ name: String, _ value: String?) -> TestEntry {
        with(name, json: value.map(TestEntry.quoted))
    }

    func with(_ name: String, json: String?) -> TestEntry {
        var copy = self
        copy.members.removeAll { $0.name == name }
        if let json { copy.members.append((name, json)) }
        return copy
    }

    func under(_ key: String) -> TestEntry {
        var copy = self
        copy.key = key
        return copy
    }

    var json: String {
        "{" + members.map { TestEntry.quoted($0.name) + ":" + $0.json }.joined(separator: ",") + "}"
    }

    /// A document that has only this entry.
    private var document: [UInt8] {
        let made = members.map { "\($0.name)=\($0.json)" }.joined(separator: "|")
        return Array("{\"\(section.name.string)\":{\(TestEntry.quoted(key ?? made)):\(json)}}".utf8)
    }

    func parsed() throws -> DocumentEntry { try read(document) }

    private func read(_ document: [UInt8]) throws -> DocumentEntry {
        var limits = DocumentLimits()
        // A key that says everything may be as long as everything.
        limits.keyBytes = 4 << 20
        var reader = DocumentReader(limits: limits)
        guard case .entry(let entry) = try reader.next(in: document.rawSpan, isLast: true) else {
            throw SchemaError(.unexpectedEnd, at: 0, rule: "a document needs an entry")
        }
        return entry
    }

    func sealed(by codec: RecordCodec, at position: Int = 0, in context: CommitContext) throws -> NewRecord {
        let document = document
        let parsed = try read(document)
        let facts = parsed.facts.placed(at: UInt32(position))
        guard !parsed.secrets.isEmpty else { return try codec.seal(facts, secret: RawSpan(), in: context) }
        let payload = try SecretBytes(byteCount: SecretPayload.byteCount(parsed.secrets)) { output in
            SecretPayload.write(parsed.secrets, of: document.rawSpan, into: &output)
        }
        return try codec.seal(facts, secret: payload.bytes, in: context)
    }
}

extension TestEntry {
    static let start: Int64 = 1_700_000_000

    /// A good access token of an hour, ten minutes old.
    static func accessToken(
        _ secret: String = "at",
        scopes: String = "User.Read Mail.Read",
        client: String = TestGroup.client,
        account: String? = TestGroup.account,
        environment: String = "login.microsoftonline.com",
        realm: String = "utid",
        cachedAt: Int64 = start - 600,
        expiresOn: Int64 = start + 3000
    ) -> TestEntry {
        TestEntry(
            .accessToken,
            [
                ("credential_type", "AccessToken"), ("secret", secret), ("home_account_id", account),
                ("environment", environment), ("client_id", client), ("realm", realm), ("target", scopes),
                ("cached_at", String(cachedAt)), ("expires_on", String(expiresOn)),
            ]
        )
    }

    static func refreshToken(
        _ secret: String = "rt",
        client: String = TestGroup.client,
        account: String? = TestGroup.account,
        environment: String = "login.microsoftonline.com",
        family: String? = nil
    ) -> TestEntry {
        TestEntry(
            .refreshToken,
            [
                ("credential_type", "RefreshToken"), ("secret", secret), ("home_account_id", account),
                ("environment", environment), ("client_id", client), ("family_id", family),
            ]
        )
    }

    static func idToken(
        client: String = TestGroup.client,
        account: String? = TestGroup.account,
        environment: String = "login.microsoftonline.com",
        realm: String = "utid"
    ) -> TestEntry {
        TestEntry(
            .idToken,
            [
                ("credential_type", "IdToken"), ("secret", "h.e30.s"), ("home_account_id", account),
                ("environment", environment), ("client_id", client), ("realm", realm),
            ]
        )
    }

    static func account(
        _ username: String = "ann@contoso.com",
        account: String? = TestGroup.account,
        environment: String = "login.microsoftonline.com",
        realm: String = "utid",
        local: String = "uid"
    ) -> TestEntry {
        TestEntry(
            .account,
            [
                ("home_account_id", account), ("environment", environment), ("realm", realm),
                ("local_account_id", local), ("username", username), ("authority_type", "MSSTS"),
            ]
        )
    }

    static func appMetadata(
        client: String = TestGroup.client,
        environment: String = "login.microsoftonline.com",
        family: String?
    ) -> TestEntry {
        TestEntry(
            .appMetadata,
            [("client_id", client), ("environment", environment), ("family_id", family)]
        )
    }
}
