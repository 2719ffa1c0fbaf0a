internal import ByteOperations

/// What keeps a credential apart from plain ones, part by part. Whatever holds parts, in whatever form, holds them in
/// this: whoever adds a part here is told by the compiler, and by the tests of all parts, where else it is needed.
package struct Isolation<Part> {
    /// The claims that the token was asked for with, where an application keeps such tokens apart.
    package var claims: Part
    /// The further components of the key, as their hash.
    package var extendedKey: Part
    /// The application on the device.
    package var application: Part
    /// The assertion on whose behalf a service got the token, as its hash.
    package var assertionHash: Part

    @inlinable
    package init(claims: Part, extendedKey: Part, application: Part, assertionHash: Part) {
        self.claims = claims
        self.extendedKey = extendedKey
        self.application = application
        self.assertionHash = assertionHash
    }

    /// The same in each part.
    @inlinable
    package init(repeating part: Part) {
        self.init(claims: part, extendedKey: part, application: part, assertionHash: part)
    }

    @inlinable
    package func map<Other>(_ transform: (Part) -> Other) -> Isolation<Other> {
        Isolation<Other>(
            claims: transform(claims),
            extendedKey: transform(extendedKey),
            application: transform(application),
            assertionHash: transform(assertionHash)
        )
    }

    /// Both, part by part.
    @inlinable
    package func paired<Other>(with other: Isolation<Other>) -> Isolation<(Part, Other)> {
        Isolation<(Part, Other)>(
            claims: (claims, other.claims),
            extendedKey: (extendedKey, other.extendedKey),
            application: (application, other.application),
            assertionHash: (assertionHash, other.assertionHash)
        )
    }

    /// All of them, in an order that is part of stored notes of refusals: a new one goes to the end.
    package var parts: [Part] { [claims, extendedKey, application, assertionHash] }

    @inlinable
    package func allSatisfy(_ predicate: (Part) -> Bool) -> Bool {
        predicate(claims) && predicate(extendedKey) && predicate(application) && predicate(assertionHash)
    }
}

extension Isolation: Equatable where Part: Equatable {}
extension Isolation: Hashable where Part: Hashable {}
extension Isolation: Sendable where Part: Sendable {}

extension Isolation where Part: Equatable {
    /// Whether a credential that is kept apart by this, and tells nothing of a resource, may be used where `wanted` is
    /// asked for, both in the form in which they are compared. `none` is a part that is not there.
    ///
    /// It belongs to the user's session with a service as much as an access token does. By the rest it is seldom kept
    /// apart: one that is not serves every such query.
    @inlinable
    package func serves(_ wanted: Isolation, none: Part) -> Bool {
        assertionHash == wanted.assertionHash
            && paired(with: wanted).allSatisfy { mine, wanted in mine == none || mine == wanted }
    }
}

extension Isolation where Part == UTF8Text? {
    /// Of a plain credential.
    package static var none: Isolation { Isolation(repeating: nil) }

    /// Whether there is no part.
    package var isNone: Bool { allSatisfy { $0 == nil } }

    /// The form in which parts are compared: two credentials are kept apart alike if these are equal.
    package var comparable: Isolation {
        Isolation(
            claims: claims.map { Isolation.comparable(claims: $0) },
            extendedKey: extendedKey?.normalizedUnlessBlank,
            application: application?.normalizedUnlessBlank,
            assertionHash: assertionHash.map { Isolation.comparable(assertionHash: $0) }
        )
    }

    /// Claims as the hash that MSAL.js writes, byte for byte of the text. Some of its entries have that in place of the
    /// claims, which are an object of JSON.
    private static func comparable(claims: UTF8Text) -> UTF8Text {
        claims.bytes.trimmed().begins(with: ASCII.openBrace) ? UTF8Text(ClaimsDigest.javaScript(claims)) : claims
    }

    /// A hash of an assertion in the one spelling in which such hashes are compared. The SDKs write base64 in either
    /// alphabet, with padding or without.
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

extension RawSpan {
    fileprivate func begins(with byte: UInt8) -> Bool { !isEmpty && self.byte(at: 0) == byte }
}
