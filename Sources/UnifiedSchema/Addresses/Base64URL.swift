/// Base64 in the alphabet that is safe in addresses, without padding.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(digit(bits >> UInt32(bitCount)))
            }
        }
        if bitCount > 0 { text.append(digit(bits << UInt32(6 - bitCount))) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ bits: UInt32) -> UInt8 {
        switch UInt8(truncatingIfNeeded: bits & 63) {
        case let value where value < 26: UInt8(ascii: "A") + value
        case let value where value < 52: UInt8(ascii: "a") + value - 26
        case let value where value < 62: ASCII.zero + value - 52
        case 62: ASCII.minus
        default: UInt8(ascii: "_")
        }
    }
}
