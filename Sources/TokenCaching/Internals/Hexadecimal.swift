/// Numbers and bytes as hexadecimal digits.
enum Hexadecimal {
    /// Sixteen digits, the lowest byte first, as the bytes lie in a file.
    static func text(_ number: UInt64) -> String {
        let digits = String(number.byteSwapped, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Whether a text is made of lowercase digits only.
    static func isDigits(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
