internal import ByteOperations
internal import Sealing

/// Services change bytes that are not text.
extension Base64 {
    /// Encodes a secret; the text is one too.
    static func encode(secret: borrowing SecretBytes) throws(SealingError) -> SecretBytes {
        try SecretBytes(byteCount: encodedByteCount(secret.byteCount)) { output throws(SealingError) in
            encode(secret.bytes, to: &output)
        }
    }

    /// The bytes, in secret memory; `nil` if the text is not what ``encode(secret:)`` makes.
    static func decode(secret text: RawSpan) throws(SealingError) -> SecretBytes? {
        guard let count = decodedByteCount(text) else { return nil }
        return try SecretBytes.decoded(byteCount: count) { decode(text, into: &$0) }
    }
}
