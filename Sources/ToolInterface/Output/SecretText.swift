// SPDX-License-Identifier: Apache-2.0

// SAFETY: the index is below the byte count of the span.

/// Prints a secret that the user asked to see, without ever creating a string from it, because strings cannot be wiped.
public enum SecretText {
    /// Writes the bytes as the content of a JSON string. Non-ASCII bytes are written unchanged.
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

    /// Writes the bytes with control characters as `\x1b`, so that a terminal does not interpret them.
    public static func writeVisible(_ bytes: RawSpan, to stream: OutputStream) {
        write(bytes, to: stream) { byte in
            // Tokens are ASCII; other bytes are shown as hexadecimal rather than trusted.
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
