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

    /// Two digits for each byte.
    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// The bytes of a text of lowercase digits, two for each; `nil` where it is none.
    static func bytes(_ text: String) -> [UInt8]? {
        guard isDigits(text), text.utf8.count.isMultiple(of: 2) else { return nil }
        let values = text.utf8.map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// Whether a text is made of lowercase digits only.
    static func isDigits(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
