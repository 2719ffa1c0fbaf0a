// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing
internal import UnifiedSchema

/// Identifies the tokens that a service obtained on behalf of a user, by a hash of the token that the user's client
/// sent.
///
/// A query with such a hash matches exactly the tokens that were obtained for that assertion; a query without one never
/// matches them.
public struct UserAssertionHash: Hashable, Sendable {
    /// SHA-256 of the assertion in base64url, without padding.
    public let base64URL: String

    /// Hashes an assertion: the access token that the service received. The assertion itself is not kept.
    ///
    /// - Parameter assertion: the assertion as received, in UTF-8.
    public init(of assertion: RawSpan) {
        base64URL = Base64URL.encode(SHA256Digest.of(assertion))
    }

    /// Hashes an assertion in a string.
    public init(of assertion: String) {
        var assertion = assertion
        base64URL = assertion.withUTF8 { buffer in
            // SAFETY: the bytes are only read, inside the closure.
            unsafe Base64URL.encode(SHA256Digest.of(buffer.span.bytes))
        }
    }

    /// Uses a hash that was computed elsewhere.
    ///
    /// - Parameter hash: base64 of the 32 bytes, in either alphabet, with or without padding, because the SDKs differ.
    public init(hash: String) {
        base64URL = Isolation<UTF8Text?>.comparable(assertionHash: UTF8Text(hash)).string
    }
}

extension UserAssertionHash: CustomStringConvertible, CustomReflectable {
    /// The type's name; not the hash, which identifies a user's session.
    public var description: String { "UserAssertionHash" }

    /// No children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
