// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing

/// Encodes items, because services alter bytes that are not text.
extension Base64 {
    /// Encodes a secret; the text is secret too.
    static func encode(secret: borrowing SecretBytes) throws(SealingError) -> SecretBytes {
        try SecretBytes(byteCount: encodedByteCount(secret.byteCount)) { output throws(SealingError) in
            encode(secret.bytes, to: &output)
        }
    }

    /// The decoded bytes, in secret memory; `nil` if ``encode(secret:)`` would not produce this text.
    static func decode(secret text: RawSpan) throws(SealingError) -> SecretBytes? {
        guard let count = decodedByteCount(text) else { return nil }
        return try SecretBytes.decoded(byteCount: count) { decode(text, into: &$0) }
    }
}
