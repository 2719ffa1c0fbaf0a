// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing

/// The three ways in which SDKs shorten requested claims for a key. All differ.
package enum ClaimsDigest {
    /// ObjC: the first seven hexadecimal digits of SHA-256 of the trimmed, lowercased text.
    static func objectiveC(_ claims: UTF8Text) -> String {
        let hash = SHA256Digest.of(claims.normalized().bytes)
        let digits = Array("0123456789abcdef")
        return String(hash.prefix(4).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }.prefix(7))
    }

    /// Android: Java's 32-bit hash of the lowercased, trimmed text, in decimal.
    static func android(_ claims: UTF8Text) -> String {
        var hash: Int32 = 0
        for unit in claims.normalized().string.utf16 { hash = 31 &* hash &+ Int32(unit) }
        return String(hash)
    }

    /// JS: base64url of SHA-256 of the unmodified text.
    package static func javaScript(_ claims: UTF8Text) -> String {
        Base64URL.encode(SHA256Digest.of(claims.bytes))
    }
}
