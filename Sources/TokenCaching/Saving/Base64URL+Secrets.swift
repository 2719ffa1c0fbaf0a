internal import ByteOperations
internal import Sealing

extension Base64URL {
    /// The bytes that `text` stands for, in secret memory; `nil` if it is not base64.
    static func decode(_ text: RawSpan) throws(SealingError) -> SecretBytes? {
        guard let count = decodedByteCount(text) else { return nil }
        return try SecretBytes.decoded(byteCount: count) { decode(text, into: &$0) }
    }
}
