/// Numbers and bytes as hexadecimal digits.
enum Hexadecimal {
    /// Sixteen digits, or as many as are wanted of them, the lowest byte first, as the bytes lie in a file.
    static func text(_ number: UInt64, digitCount: Int = 16) -> String {
        let digits = (0..<digitCount).map { index in
            let value = UInt8(truncatingIfNeeded: number.byteSwapped >> UInt64(60 - 4 * index)) & 15
            return value < 10 ? 0x30 + value : 0x57 + value
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Whether a text is made of lowercase digits only.
    static func isDigits(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
