internal import Sealing

/// Decodes base64 in the alphabet that is safe in addresses, into secret memory.
///
/// Tolerant as servers are: the ordinary alphabet and padding pass too. Strict where it matters: any other byte, and a
/// length that no bytes have, give nothing.
enum Base64URLDecoder {
    /// The bytes that `text` stands for; nil where it is not base64.
    static func decode(_ text: RawSpan) throws(SealingError) -> SecretBytes? {
        var end = text.byteCount
        while end > 0, text.byteCount - end < 2, text.byte(at: end - 1) == UInt8(ascii: "=") { end -= 1 }
        guard end % 4 != 1 else { return nil }
        var isValid = true
        let bytes = try SecretBytes(byteCount: end * 3 / 4) { output in
            var bits: UInt32 = 0
            var bitCount = 0
            for offset in 0..<end {
                guard let digit = value(of: text.byte(at: offset)) else {
                    isValid = false
                    return
                }
                bits = bits << 6 | digit
                bitCount += 6
                if bitCount >= 8 {
                    bitCount -= 8
                    output.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
                }
            }
        }
        guard isValid else { return nil }
        return bytes
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
        case UInt8(ascii: "_"), UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
