// SPDX-License-Identifier: Apache-2.0

/// Numbers with seven bits per byte, lowest first, the high bit set in all but the last, at most five bytes.
public enum Varint {
    /// Reads the number at `position` and advances past it. Returns `nil` if the bytes end within the number, with
    /// `position` at their end, or if it is longer than five bytes.
    @inlinable @inline(__always)
    public static func read(_ bytes: RawSpan, at position: inout Int) -> Int? {
        guard position < bytes.byteCount else { return nil }
        let first = bytes.byte(at: position)
        if first < 0x80 {
            position += 1
            return Int(first)
        }
        var value = 0
        for index in 0..<5 {
            guard position < bytes.byteCount else { return nil }
            let byte = bytes.byte(at: position)
            position += 1
            value |= Int(byte & 0x7F) << (7 * index)
            if byte < 0x80 { return value }
        }
        return nil
    }
}

extension Array where Element == UInt8 {
    /// Appends a number in the form that ``Varint/read(_:at:)`` reads. Traps if it is negative or has more than 35
    /// bits.
    @inlinable @inline(__always)
    public mutating func append(varint value: Int) {
        precondition(value >> 35 == 0, "a varint has five bytes at most")
        var rest = UInt(value)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
