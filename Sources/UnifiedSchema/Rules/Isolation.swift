// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The parts that isolate a credential from plain ones. All code that stores the parts, in any form, stores them in
/// this type: when a part is added here, the compiler and the tests of all parts show where else it is needed.
package struct Isolation<Part> {
    /// The claims requested with the token, if the application isolates such tokens.
    package var claims: Part
    /// The additional components of the key, as a hash.
    package var extendedKey: Part
    /// The application on the device.
    package var application: Part
    /// The assertion for which a service obtained the token on behalf of a user, as a hash.
    package var assertionHash: Part

    @inlinable
    package init(claims: Part, extendedKey: Part, application: Part, assertionHash: Part) {
        self.claims = claims
        self.extendedKey = extendedKey
        self.application = application
        self.assertionHash = assertionHash
    }

    /// The same value for each part.
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

    /// Combines two isolations part by part.
    @inlinable
    package func paired<Other>(with other: Isolation<Other>) -> Isolation<(Part, Other)> {
        Isolation<(Part, Other)>(
            claims: (claims, other.claims),
            extendedKey: (extendedKey, other.extendedKey),
            application: (application, other.application),
            assertionHash: (assertionHash, other.assertionHash)
        )
    }

    /// All parts, in the order in which the keys of notes of refusals contain them. An additional part changes the keys
    /// of all notes of requests: versions with it do not find those of versions without it, and ask the server again.
    package var parts: [Part] { [claims, extendedKey, application, assertionHash] }

    @inlinable
    package func allSatisfy(_ predicate: (Part) -> Bool) -> Bool {
        predicate(claims) && predicate(extendedKey) && predicate(application) && predicate(assertionHash)
    }
}

extension Isolation {
    /// The part with this name.
    package subscript(part: IsolationPart) -> Part {
        get {
            switch part {
            case .claims: claims
            case .extendedKey: extendedKey
            case .application: application
            case .assertionHash: assertionHash
            }
        }
        set {
            switch part {
            case .claims: claims = newValue
            case .extendedKey: extendedKey = newValue
            case .application: application = newValue
            case .assertionHash: assertionHash = newValue
            }
        }
    }
}

/// The names of the parts of an ``Isolation``. ``MemberName`` says which members contain each part.
package enum IsolationPart: Hashable, Sendable, CaseIterable {
    case claims
    case extendedKey
    case application
    case assertionHash
}

extension Isolation: Equatable where Part: Equatable {}
extension Isolation: Hashable where Part: Hashable {}
extension Isolation: Sendable where Part: Sendable {}

extension Isolation where Part: Equatable {
    /// Whether an isolated credential that is not bound to a resource may be used for a request with the isolation
    /// `wanted`, both in comparable form. `none` is the value of a missing part.
    ///
    /// The assertion must match, because such a credential belongs to the user's session with a service, as an access
    /// token does. The other parts rarely isolate refresh tokens: a credential without them serves any request.
    @inlinable
    package func serves(_ wanted: Isolation, none: Part) -> Bool {
        assertionHash == wanted.assertionHash
            && paired(with: wanted).allSatisfy { mine, wanted in mine == none || mine == wanted }
    }
}

extension Isolation where Part == UTF8Text? {
    /// The isolation of a plain credential.
    package static var none: Isolation { Isolation(repeating: nil) }

    /// Whether all parts are missing.
    package var isNone: Bool { allSatisfy { $0 == nil } }

    /// The form in which parts are compared: two credentials have the same isolation if these forms are equal.
    package var comparable: Isolation {
        Isolation(
            claims: claims.map { Isolation.comparable(claims: $0) },
            extendedKey: extendedKey?.normalizedUnlessBlank,
            application: application?.normalizedUnlessBlank,
            assertionHash: assertionHash.map { Isolation.comparable(assertionHash: $0) }
        )
    }

    /// The hash of the claims' bytes that MSAL.js writes. Some of its entries contain this hash in place of the claims,
    /// which are a JSON object.
    private static func comparable(claims: UTF8Text) -> UTF8Text {
        claims.bytes.trimmed().begins(with: ASCII.openBrace) ? UTF8Text(ClaimsDigest.javaScript(claims)) : claims
    }

    /// The normalised spelling of an assertion hash, for comparing. The SDKs write either alphabet of base64, with or
    /// without padding. A text that is no SHA-256 hash is a key that an application chose: it is compared as it is.
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
        return bytes.count == lengthOfEncodedHash
            ? UTF8Text(String(decoding: bytes, as: UTF8.self)) : assertionHash.trimmed()
    }

    /// The number of characters of 32 bytes in base64, without padding.
    private static var lengthOfEncodedHash: Int { 43 }
}

extension RawSpan {
    fileprivate func begins(with byte: UInt8) -> Bool { !isEmpty && self.byte(at: 0) == byte }
}
