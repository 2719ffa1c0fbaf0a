// SPDX-License-Identifier: Apache-2.0

/// Base64 of RFC 4648, section 4, with padding and without line breaks.
public enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each digit; 64 and more for other bytes.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// The number of digits that encode `count` bytes.
    public static func encodedByteCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Encodes bytes that are not secret.
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(encodedByteCount(bytes.count))
        encode(bytes.rawSpan) { text.append($0) }
        return text
    }

    /// Appends the digits of the bytes. Traps if there is too little room.
    public static func encode(_ bytes: RawSpan, to output: inout OutputRawSpan) {
        encode(bytes) { output.append(byte: $0) }
    }

    private static func encode(_ bytes: RawSpan, _ take: (UInt8) -> Void) {
        for start in stride(from: 0, to: bytes.byteCount, by: 3) {
            let count = min(3, bytes.byteCount - start)
            var group: UInt32 = 0
            for index in 0..<3 {
                group = group << 8 | (index < count ? UInt32(bytes.uint8(at: start + index)) : 0)
            }
            for index in 0..<4 {
                let digit = digits[Int(group >> UInt32(18 - 6 * index) & 63)]
                take(index <= count ? digit : UInt8(ascii: "="))
            }
        }
    }

    /// Whether the text begins with base64 digits. Data decrypted with a wrong key does not.
    public static func isText(_ text: RawSpan) -> Bool {
        text.byteCount > 0
            && (0..<min(64, text.byteCount)).allSatisfy {
                values[Int(text.uint8(at: $0))] < 64 || text.uint8(at: $0) == UInt8(ascii: "=")
            }
    }

    /// The decoded bytes; `nil` if ``encode(_:)`` would not produce this text.
    public static func decode(_ text: RawSpan) -> [UInt8]? {
        guard let count = decodedByteCount(text) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        // Decode whole groups four digits at a time, because many items are read at once, and the last groups byte by
        // byte.
        let wholeCount = max(0, count / 3 - 1)
        guard decodeGroups(text, wholeCount, into: &bytes) else { return nil }
        var position = 3 * wholeCount
        let isText = decode(text, count: count, from: 4 * wholeCount) {
            bytes[position] = $0
            position += 1
        }
        return isText ? bytes : nil
    }

    /// The bits that a digit contributes to the three bytes of its group, lowest byte first: 256 values for each of the
    /// four positions. The highest byte is nonzero for a byte that is not a digit.
    private static let parts: [UInt32] = (0..<4).flatMap { location in
        values.map { value in
            let bits = UInt32(value) << UInt32(18 - 6 * location)
            return value < 64 ? bits.byteSwapped >> 8 : 0xFF00_0000
        }
    }

    /// Decodes each group of four digits into three bytes; returns false if one is not a digit. Writes four bytes at a
    /// time, so the buffer needs one spare byte after the last group.
    private static func decodeGroups(_ text: RawSpan, _ count: Int, into bytes: inout [UInt8]) -> Bool {
        precondition(count == 0 || (4 * count <= text.byteCount && 3 * count < bytes.count))
        let all = parts
        let parts = all.span
        var span = bytes.mutableSpan
        // SAFETY: bytes have no padding.
        var output = unsafe span.mutableBytes
        var seen: UInt32 = 0
        for group in 0..<count {
            // SAFETY: the numbers of groups and bytes were checked above; the table has four times 256 values.
            let digits = unsafe UInt32(
                littleEndian: text.unsafeLoadUnaligned(fromUncheckedByteOffset: 4 * group, as: UInt32.self)
            )
            let first = unsafe parts[unchecked: Int(digits & 255)]
            let second = unsafe parts[unchecked: Int(digits >> 8 & 255) + 256]
            let third = unsafe parts[unchecked: Int(digits >> 16 & 255) + 512]
            let fourth = unsafe parts[unchecked: Int(digits >> 24) + 768]
            let three = first | second | third | fourth
            seen |= three
            unsafe output.storeBytes(of: three.littleEndian, toUncheckedByteOffset: 3 * group, as: UInt32.self)
        }
        return seen >> 24 == 0
    }

    /// Appends the decoded bytes, ``decodedByteCount(_:)`` of them. Traps if there is no room.
    ///
    /// - Returns: false if ``encode(_:)`` would not produce this text.
    public static func decode(_ text: RawSpan, into output: inout OutputRawSpan) -> Bool {
        guard let count = decodedByteCount(text) else { return false }
        return decode(text, count: count) { output.append(byte: $0) }
    }

    /// The number of bytes that a text decodes to; `nil` if no byte string has an encoding of this length.
    public static func decodedByteCount(_ text: RawSpan) -> Int? {
        let count = text.byteCount
        guard count.isMultiple(of: 4) else { return nil }
        guard count > 0 else { return 0 }
        let padding =
            text.uint8(at: count - 1) != UInt8(ascii: "=") ? 0 : text.uint8(at: count - 2) == UInt8(ascii: "=") ? 2 : 1
        return count / 4 * 3 - padding
    }

    private static func decode(
        _ text: RawSpan,
        count: Int,
        from begin: Int = 0,
        _ take: (UInt8) -> Void
    ) -> Bool {
        var left = count - begin / 4 * 3
        for start in stride(from: begin, to: text.byteCount, by: 4) {
            let taken = min(3, left)
            var group: UInt32 = 0
            for index in 0..<4 {
                let value = index <= taken ? values[Int(text.uint8(at: start + index))] : 0
                guard value < 64 else { return false }
                group = group << 6 | UInt32(value)
            }
            for index in 0..<3 {
                let byte = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * index))
                if index < taken { take(byte) } else if byte != 0 { return false }
            }
            left -= taken
        }
        return true
    }
}
