// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Who may use a token, and how long, read in one pass over its members: a subset of ``CredentialFields``.
package struct TokenHolder: Sendable {
    /// The client to which it was issued, folded; empty if it names none.
    package let clientID: UTF8Text
    /// Whether it was issued to the requesting client.
    package let isOwn: Bool
    /// Whether a family of clients shares it.
    package let isFamilyToken: Bool
    /// Nil if it names no family.
    package private(set) var familyID: UTF8Text?
    /// Read only for a family's token; otherwise empty.
    package private(set) var environment: UTF8Text = ""
    package private(set) var expiresOn: Int64?

    /// Reads encoded facts.
    ///
    /// - Parameters:
    ///   - bytes: the facts.
    ///   - client: the requesting client, folded.
    /// - Throws: as `EntryFacts.init(decoding:)`. Never traps.
    package init(decoding bytes: RawSpan, client: UTF8Text) throws(SchemaError) {
        var reader = try FactsReader(bytes)
        var holder: UTF8Text = ""
        var host: FactsReader.Member?
        while let member = try reader.next() {
            switch member.name {
            case .clientID: holder = reader.normalizedText(member, expecting: client) ?? ""
            case .familyID: familyID = reader.normalizedText(member)
            case .environment: host = member
            case .expiresOn: expiresOn = reader.seconds(member)
            default: break
            }
        }
        clientID = holder
        isOwn = holder == client
        isFamilyToken = ClientFamily.sharesToken(reader.kind, namesFamily: familyID != nil)
        // The cloud of other tokens is not needed.
        if isFamilyToken, let host { environment = reader.normalizedText(host) ?? "" }
    }
}

extension FactsReader {
    /// The text, trimmed and folded; nil if nothing is left. Reuses the expected text if it is equal.
    fileprivate func normalizedText(_ member: Member, expecting expected: UTF8Text = "") -> UTF8Text? {
        guard member.form == .plainString else {
            return text(member).map { $0.normalized() }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let span = bytes.extracting(member.range)
        if !expected.isEmpty, span.isEqual(to: expected.bytes) { return expected }
        return UTF8Text(normalizing: span).flatMap { $0.isEmpty ? nil : $0 }
    }
}
