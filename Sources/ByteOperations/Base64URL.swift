// SPDX-License-Identifier: Apache-2.0

/// Base64url of RFC 4648, section 5: the URL-safe alphabet, without padding.
public enum Base64URL {
    /// Encodes bytes that are not secret.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text = Base64.encode(bytes)
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "+"): text[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): text[index] = UInt8(ascii: "_")
            default: break
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The decoded bytes, if ``encode(_:)`` would produce exactly this text; otherwise `nil`. Not for secrets.
    public static func decodeStrictly(_ text: RawSpan) -> [UInt8]? {
        guard let count = decodedByteCount(text) else { return nil }
        var isText = false
        let bytes = [UInt8](byteCount: count) { isText = decode(text, into: &$0) }
        return isText && encode(bytes).rawSpan.isEqual(to: text) ? bytes : nil
    }

    /// The number of bytes that a text decodes to; `nil` if no byte string has an encoding of this length.
    public static func decodedByteCount(_ text: RawSpan) -> Int? {
        let end = end(of: text)
        return end % 4 == 1 ? nil : end * 3 / 4
    }

    /// Appends the decoded bytes, ``decodedByteCount(_:)`` of them. Traps if there is no room.
    ///
    /// Lenient because servers are: accepts the standard alphabet and padding too. Rejects any other byte, and an
    /// impossible length.
    ///
    /// - Returns: false if the text is not base64. The bytes appended so far are then meaningless.
    public static func decode(_ text: RawSpan, into output: inout OutputRawSpan) -> Bool {
        let end = end(of: text)
        guard end % 4 != 1 else { return false }
        let values = values
        let table = values.span
        @inline(__always)
        func digit(_ offset: Int) -> UInt32 {
            // SAFETY: the table has a value for each byte.
            UInt32(bitPattern: Int32(unsafe table[unchecked: Int(text.byte(at: offset))]))
        }
        @inline(__always)
        func bits(_ offset: Int) -> UInt32 {
            let high = digit(offset) << 18 | digit(offset &+ 1) << 12
            return high | digit(offset &+ 2) << 6 | digit(offset &+ 3)
        }
        var seen: UInt32 = 0
        var offset = 0
        while offset &+ 8 <= end {
            let (first, second) = (bits(offset), bits(offset &+ 4))
            seen |= first | second
            // SAFETY: numbers have no padding; the span itself checks its capacity.
            unsafe output.append((first << 8 | second >> 16).bigEndian, as: UInt32.self)
            unsafe output.append(UInt16(truncatingIfNeeded: second).bigEndian, as: UInt16.self)
            offset &+= 8
        }
        if offset &+ 4 <= end {
            let bits = bits(offset)
            seen |= bits
            output.append(byte: UInt8(truncatingIfNeeded: bits >> 16))
            output.append(byte: UInt8(truncatingIfNeeded: bits >> 8))
            output.append(byte: UInt8(truncatingIfNeeded: bits))
            offset &+= 4
        }
        if offset < end {
            let third = offset + 2 < end ? digit(offset + 2) << 6 : 0
            let bits = digit(offset) << 18 | digit(offset + 1) << 12 | third
            seen |= bits
            output.append(byte: UInt8(truncatingIfNeeded: bits >> 16))
            if offset + 2 < end { output.append(byte: UInt8(truncatingIfNeeded: bits >> 8)) }
        }
        // A byte that is not a digit sets a bit above those of four digits.
        return seen >> 24 == 0
    }

    /// The offset at which the digits end and the padding begins.
    private static func end(of text: RawSpan) -> Int {
        var end = text.byteCount
        while end > 0, text.byteCount - end < 2, text.byte(at: end - 1) == UInt8(ascii: "=") { end -= 1 }
        return end
    }

    /// The six bits of each digit, by its byte; -1, which has all bits set, for any other byte.
    private static let values: [Int8] = (UInt8.min...UInt8.max).map { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int8(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int8(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int8(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
        case UInt8(ascii: "_"), UInt8(ascii: "/"): 63
        default: -1
        }
    }
}
