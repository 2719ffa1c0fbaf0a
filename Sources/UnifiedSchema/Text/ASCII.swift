/// The bytes that the formats give a meaning to, and folding of A-Z.
///
/// Only A-Z are folded, never other letters: what is persisted or hashed must not depend on a version of Unicode.
enum ASCII {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let newline = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let minus = UInt8(ascii: "-")
    static let zero = UInt8(ascii: "0")

    /// The highest bit of each of eight bytes.
    static let highBits: UInt64 = 0x8080_8080_8080_8080
    /// The lowest bit of each of eight bytes.
    static let lowBits: UInt64 = 0x0101_0101_0101_0101

    @inline(__always)
    static func folded(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Eight bytes at once.
    @inline(__always)
    static func folded(word: UInt64) -> UInt64 {
        let seven = word & ~highBits
        let fromA = seven &+ (0x80 - 0x41) &* lowBits
        let aboveZ = seven &+ (0x80 - 0x5B) &* lowBits
        return word | (((fromA & ~aboveZ & ~word) & highBits) >> 2)
    }

    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte &- 0x09 < 5
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10
    }
}
