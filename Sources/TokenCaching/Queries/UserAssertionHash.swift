internal import ByteOperations
internal import Sealing
internal import UnifiedSchema

/// Tells apart the tokens that a service got on behalf of a person, by a hash of the token that the person's client sent.
///
/// A query with such a hash finds exactly the tokens that were got for that assertion; a query without never gets them.
public struct UserAssertionHash: Hashable, Sendable {
    /// SHA-256 of the assertion in base64, in the alphabet that is safe in addresses, without padding.
    public let base64URL: String

    /// The hash of an assertion: the access token that the service received. Nothing of it is kept.
    ///
    /// - Parameter assertion: as it was received, in UTF-8.
    public init(of assertion: RawSpan) {
        base64URL = Base64URL.encode(SHA256Digest.of(assertion))
    }

    /// The hash of an assertion in a string.
    public init(of assertion: String) {
        var assertion = assertion
        base64URL = assertion.withUTF8 { buffer in
            // SAFETY: the bytes are only read, inside the closure.
            unsafe Base64URL.encode(SHA256Digest.of(buffer.span.bytes))
        }
    }

    /// A hash that was worked out elsewhere.
    ///
    /// - Parameter hash: base64 of the 32 bytes; either alphabet, with padding or without, as the SDKs differ in it.
    public init(hash: String) {
        base64URL = Isolation<UTF8Text?>.comparable(assertionHash: UTF8Text(hash)).string
    }
}

extension UserAssertionHash: CustomStringConvertible, CustomReflectable {
    /// Nothing of the hash: it tells one person's session from another's.
    public var description: String { "UserAssertionHash" }

    /// No children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
