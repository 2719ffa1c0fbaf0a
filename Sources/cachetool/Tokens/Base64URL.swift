/// The alphabet of tokens (RFC 4648, section 5), without padding.
enum Base64URL {
    /// The bytes that `text` stands for; nil where it is not base64url. Padding is not allowed, left-over bits are zero.
    static func decoded(_ text: RawSpan) -> [UInt8]? {
        guard text.byteCount % 4 != 1 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(text.byteCount * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for offset in text.byteOffsets {
            guard let value = value(of: unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) else {
                return nil
            }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                result.append(UInt8(truncatingIfNeeded: bits >> count))
                bits &= 1 << count - 1
            }
        }
        return bits == 0 ? result : nil
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case 0x41...0x5A: UInt32(byte) - 0x41
        case 0x61...0x7A: UInt32(byte) - 0x61 + 26
        case 0x30...0x39: UInt32(byte) - 0x30 + 52
        case 0x2D: 62
        case 0x5F: 63
        default: nil
        }
    }
}
