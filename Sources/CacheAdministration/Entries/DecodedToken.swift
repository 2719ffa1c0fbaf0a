// SPDX-License-Identifier: Apache-2.0

// SAFETY: offsets are below the span's byte count; the array outlives its span.

internal import ByteOperations

/// The parts of a token that can be read without a key. Nothing is validated. Later versions may know more forms.
@nonexhaustive
public enum DecodedToken: Hashable, Sendable {
    /// A signed token: its header and claims. The signature is not decoded.
    case signed(header: JSONValue, claims: JSONValue)
    /// An encrypted token, which only its audience can read: only its header.
    case encrypted(header: JSONValue)
    /// Anything else, such as the access tokens of personal accounts.
    case opaque

    /// Reads a token.
    ///
    /// - Parameter token: the token. Only its header and claims are copied.
    public init(_ token: RawSpan) {
        let parts = DecodedToken.parts(of: token)
        guard parts.count == 3 || parts.count == 5, let header = DecodedToken.object(token, parts[0]) else {
            self = .opaque
            return
        }
        if parts.count == 5 {
            self = .encrypted(header: header)
        } else if let claims = DecodedToken.object(token, parts[1]) {
            self = .signed(header: header, claims: claims)
        } else {
            self = .opaque
        }
    }

    private static func object(_ token: RawSpan, _ part: Range<Int>) -> JSONValue? {
        guard let bytes = Base64URL.decodeStrictly(token.extracting(part)),
            let value = try? unsafe JSONValue(parsing: bytes.span.bytes), case .object = value
        else { return nil }
        return value
    }

    /// The ranges of the parts between dots.
    private static func parts(of token: RawSpan) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = 0
        for offset in token.byteOffsets
        where unsafe token.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == UInt8(ascii: ".") {
            parts.append(start..<offset)
            start = offset + 1
        }
        parts.append(start..<token.byteCount)
        return parts
    }
}

extension DecodedToken: CustomStringConvertible, CustomReflectable {
    /// The kind of token, without its claims.
    public var description: String {
        switch self {
        case .signed: "DecodedToken(signed)"
        case .encrypted: "DecodedToken(encrypted)"
        case .opaque: "DecodedToken(opaque)"
        }
    }

    /// No children, so that personal data stays out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
