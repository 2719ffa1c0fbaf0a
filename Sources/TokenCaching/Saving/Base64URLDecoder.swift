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
        let values = values
        let table = values.span
        // A bit above those of four digits is set by what is none.
        var all: UInt32 = 0
        let bytes = try SecretBytes(byteCount: end * 3 / 4) { output in
            @inline(__always)
            func digit(_ offset: Int) -> UInt32 {
                // SAFETY: the table has a value for each byte.
                UInt32(bitPattern: Int32(unsafe table[unchecked: Int(text.byte(at: offset))]))
            }
            @inline(__always)
            func bits(_ offset: Int) -> UInt32 {
                let high = digit(offset) << 18 | digit(offset &+ 1) << 12
                return high | digit(offset &+ 2) << 6 | digit(offset &+ 3)
            }
            var seen: UInt32 = 0
            var offset = 0
            while offset &+ 8 <= end {
                let (first, second) = (bits(offset), bits(offset &+ 4))
                seen |= first | second
                // SAFETY: numbers have no padding; the span itself checks its capacity.
                unsafe output.append((first << 8 | second >> 16).bigEndian, as: UInt32.self)
                unsafe output.append(UInt16(truncatingIfNeeded: second).bigEndian, as: UInt16.self)
                offset &+= 8
            }
            if offset &+ 4 <= end {
                let bits = bits(offset)
                seen |= bits
                output.append(UInt8(truncatingIfNeeded: bits >> 16))
                output.append(UInt8(truncatingIfNeeded: bits >> 8))
                output.append(UInt8(truncatingIfNeeded: bits))
                offset &+= 4
            }
            if offset < end {
                let third = offset + 2 < end ? digit(offset + 2) << 6 : 0
                let bits = digit(offset) << 18 | digit(offset + 1) << 12 | third
                seen |= bits
                output.append(UInt8(truncatingIfNeeded: bits >> 16))
                if offset + 2 < end { output.append(UInt8(truncatingIfNeeded: bits >> 8)) }
            }
            all = seen
        }
        guard all >> 24 == 0 else { return nil }
        return bytes
    }

    /// The six bits of each digit, by its byte; -1, which has all bits set, for any other byte.
    private static let values: [Int8] = (UInt8.min...UInt8.max).map { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int8(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int8(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int8(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
        case UInt8(ascii: "_"), UInt8(ascii: "/"): 63
        default: -1
        }
    }
}
