// SPDX-License-Identifier: Apache-2.0

/// Numbers and bytes as hexadecimal digits, lowercase.
public enum Hexadecimal {
    /// Two digits for each byte.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Sixteen digits, or the first `digitCount` of them, lowest byte first, as the bytes are laid out in a file.
    public static func text(littleEndian number: UInt64, digitCount: Int = 16) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(digitCount)
        for index in 0..<digitCount {
            // Of each byte, the upper four bits first.
            digits.append(digit(UInt8(truncatingIfNeeded: number >> UInt64(4 * (index ^ 1))) & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    /// Sixteen digits, highest byte first, as numbers are written.
    public static func text(bigEndian number: UInt64) -> String {
        text(littleEndian: number.byteSwapped)
    }

    /// The bytes of a string of lowercase digits, two for each byte; `nil` if it is anything else.
    public static func bytes(_ text: String) -> [UInt8]? {
        guard isDigits(text), text.utf8.count.isMultiple(of: 2) else { return nil }
        let values = text.utf8.map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// The two numbers that 32 digits in either case stand for, each lowest byte first; `nil` for any other string.
    public static func numbers(littleEndian text: String) -> (first: UInt64, second: UInt64)? {
        guard text.utf8.count == 32, let bytes = bytes(text.lowercased()), bytes.count == 16 else { return nil }
        func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        return (number(bytes[..<8]), number(bytes[8...]))
    }

    /// Whether a string consists of lowercase digits only.
    public static func isDigits(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
