// SPDX-License-Identifier: Apache-2.0

/// Case folding, trimming and splitting for ASCII only. All other characters compare byte for byte, so that stored and
/// hashed values do not depend on a Unicode version.
public enum ASCII {
    /// The highest bit of each of eight bytes.
    @inlinable @inline(__always)
    public static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// The lowest bit of each of eight bytes.
    @inlinable @inline(__always)
    public static var lowBits: UInt64 { 0x0101_0101_0101_0101 }

    /// A-Z become a-z.
    @inlinable @inline(__always)
    public static func folded(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Eight bytes at once: A-Z become a-z.
    @inlinable @inline(__always)
    public static func folded(word bytes: UInt64) -> UInt64 {
        // The high bit of each byte in these two sums says whether its low seven bits are at least `A`, or beyond `Z`.
        let low = bytes & 0x7F7F_7F7F_7F7F_7F7F
        let (reachesA, passesZ) = (low &+ 0x3F3F_3F3F_3F3F_3F3F, low &+ 0x2525_2525_2525_2525)
        let letters = (reachesA & ~passesZ) & ~bytes & 0x8080_8080_8080_8080
        return bytes | letters >> 2
    }

    /// Space, tab, line feed, vertical tab, form feed, carriage return.
    @inlinable @inline(__always)
    public static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte &- 0x09 < 5
    }

    /// 0-9.
    @inlinable @inline(__always)
    public static func isDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10
    }
}
