// SAFETY: the index is below the byte count of the span.

/// Shows a secret that a person has asked to see, without ever making text of it in memory that cannot be wiped.
enum SecretText {
    /// Writes the bytes as the inside of a JSON string. Bytes of other characters than ASCII pass as they are.
    static func writeEscaped(_ bytes: RawSpan, to stream: OutputStream) {
        write(bytes, to: stream) { byte in
            switch byte {
            case 0x22: "\\\""
            case 0x5C: "\\\\"
            case ..<0x20, 0x7F: "\\u00" + hex(byte)
            default: nil
            }
        }
    }

    /// Writes the bytes for people: control characters as `\u{1B}`, so that no terminal obeys them.
    static func writeVisible(_ bytes: RawSpan, to stream: OutputStream) {
        write(bytes, to: stream) { byte in
            // Tokens are ASCII; anything else is shown by its bytes rather than trusted.
            byte < 0x20 || byte >= 0x7F ? "\\x" + hex(byte) : nil
        }
    }

    private static func write(_ bytes: RawSpan, to stream: OutputStream, _ replacement: (UInt8) -> String?) {
        var start = 0
        for index in bytes.byteOffsets {
            let byte = unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            guard let text = replacement(byte) else { continue }
            stream.writeDirectly(bytes.extracting(start..<index))
            stream.write(text)
            start = index + 1
        }
        stream.writeDirectly(bytes.extracting(start..<bytes.byteCount))
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
    }
}
