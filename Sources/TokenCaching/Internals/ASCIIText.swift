/// What is folded, trimmed and split: ASCII only. Other letters match byte for byte.
enum ASCIIText {
    /// A-Z become a-z.
    @inline(__always)
    static func folded(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Space, tab, line feed, vertical tab, form feed, carriage return.
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte &- 9 < 5
    }
}
