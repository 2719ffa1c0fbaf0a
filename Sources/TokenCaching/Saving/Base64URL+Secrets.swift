internal import ByteOperations
internal import Sealing

extension Base64URL {
    /// The bytes that `text` stands for, in secret memory; `nil` where it is not base64.
    static func decode(_ text: RawSpan) throws(SealingError) -> SecretBytes? {
        guard let count = decodedByteCount(text) else { return nil }
        var isText = false
        let bytes = try SecretBytes(byteCount: count) { output throws(SealingError) in
            isText = decode(text, into: &output)
        }
        if isText { return bytes }
        return nil
    }
}
