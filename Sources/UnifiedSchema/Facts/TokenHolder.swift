internal import ByteOperations

/// What a token says of who may use it, and until when, read in one walk through its members. As ``CredentialFields`` reads
/// it, and nothing else of it.
package struct TokenHolder: Sendable {
    /// Whether it was issued to the client that asks.
    package let isOwn: Bool
    /// Whether a family of clients shares it.
    package let isFamilyToken: Bool
    /// Nil where it names no family.
    package private(set) var familyID: UTF8Text?
    /// Of a token of a family; else empty.
    package private(set) var environment: UTF8Text = ""
    package private(set) var expiresOn: Int64?

    /// Reads encoded facts.
    ///
    /// - Parameters:
    ///   - bytes: the facts.
    ///   - client: who asks, folded.
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
        isOwn = holder == client
        isFamilyToken = ClientFamily.sharesToken(reader.kind, namesFamily: familyID != nil)
        // Nobody asks for the cloud of other tokens.
        if isFamilyToken, let host { environment = reader.normalizedText(host) ?? "" }
    }
}

extension FactsReader {
    /// The text, trimmed and folded; nil if nothing is left. What is expected, and is so already, is not made anew.
    fileprivate func normalizedText(_ member: Member, expecting expected: UTF8Text = "") -> UTF8Text? {
        guard member.form == .plainString else {
            return text(member).map { $0.normalized() }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let span = bytes.extracting(member.range)
        if !expected.isEmpty, span.isEqual(to: expected.bytes) { return expected }
        return UTF8Text(normalizing: span).flatMap { $0.isEmpty ? nil : $0 }
    }
}
