/// What is folded, trimmed and split: ASCII only. Other letters match byte for byte.
enum ASCIIText {
    /// A-Z become a-z.
    @inline(__always)
    static func folded(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Eight bytes at once: A-Z become a-z.
    @inline(__always)
    static func folded(word bytes: UInt64) -> UInt64 {
        // The high bit of each byte tells: of these two sums, whether the seven low bits are at least A, or beyond Z.
        let low = bytes & 0x7F7F_7F7F_7F7F_7F7F
        let (reachesA, passesZ) = (low &+ 0x3F3F_3F3F_3F3F_3F3F, low &+ 0x2525_2525_2525_2525)
        let letters = (reachesA & ~passesZ) & ~bytes & 0x8080_8080_8080_8080
        return bytes | letters >> 2
    }

    /// Space, tab, line feed, vertical tab, form feed, carriage return.
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte &- 9 < 5
    }
}
