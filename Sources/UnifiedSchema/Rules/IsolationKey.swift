internal import ByteOperations

/// What keeps a credential apart from plain ones, in the form in which it is compared: claims, further components of the key,
/// the application, and the assertion on whose behalf it was issued. Two credentials are kept apart alike if these are equal.
package struct IsolationKey: Hashable, Sendable {
    /// As an SDK wrote them down, or their hash where it wrote nothing else.
    package let claims: UTF8Text?
    package let extendedKey: UTF8Text?
    package let application: UTF8Text?
    package let assertionHash: UTF8Text?

    package init(_ fields: CredentialFields) {
        claims = fields.requestedClaims
        extendedKey = fields.extCacheKey?.normalized()
        application = fields.applicationIdentifier
        assertionHash = fields.userAssertionHash.map { IsolationKey.comparable(assertionHash: $0) }
    }

    /// Whether nothing keeps it apart.
    package var isPlain: Bool {
        claims == nil && extendedKey == nil && application == nil && assertionHash == nil
    }

    /// A hash of an assertion in the one spelling in which such hashes are compared. The SDKs write base64 in either alphabet,
    /// with padding or without.
    package static func comparable(assertionHash: UTF8Text) -> UTF8Text {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(assertionHash.byteCount)
        for byte in assertionHash.utf8 where !ASCII.isWhitespace(byte) && byte != UInt8(ascii: "=") {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): bytes.append(UInt8(ascii: "_"))
            default: bytes.append(byte)
            }
        }
        return UTF8Text(String(decoding: bytes, as: UTF8.self))
    }
}
