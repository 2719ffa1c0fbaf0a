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

    /// The bytes, in secret memory; `nil` where the text is not what ``encode(secret:)`` makes.
    static func decode(secret text: RawSpan) throws(SealingError) -> SecretBytes? {
        guard let count = decodedByteCount(text) else { return nil }
        var isText = false
        let bytes = try SecretBytes(byteCount: count) { output throws(SealingError) in
            isText = decode(text, into: &output)
        }
        if isText { return bytes }
        return nil
    }
}
