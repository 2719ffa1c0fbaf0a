// SPDX-License-Identifier: Apache-2.0

/// The identity of a group: 128 bits, chosen at random at its creation. Every sealed box is bound to it.
package struct GroupUUID: Hashable, Sendable {
    // The sixteen bytes as two big-endian numbers.
    private let high: UInt64
    private let low: UInt64

    /// A random UUID (version 4 of RFC 9562).
    package init() {
        let random = Sodium.randomPair()
        high = random.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
        low = random.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// Creates a UUID from its bytes; `nil` unless they are sixteen.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Parses the text form of ``description``, in upper or lower case; `nil` if the text is not a UUID.
    package init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for (index, character) in text.utf8.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
            default: return nil
            }
            // Sixteen digits precede the third hyphen.
            if index < 18 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
        }
        (self.high, self.low) = (high, low)
    }

    /// The sixteen bytes.
    package var bytes: [UInt8] {
        (0..<16).map { index in
            let word = index < 8 ? high : low
            return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index % 8)))
        }
    }

    /// The bytes as two numbers with the same memory layout as ``bytes``.
    var wordsInMemoryOrder: (UInt64, UInt64) { (high.bigEndian, low.bigEndian) }
}

extension GroupUUID: CustomStringConvertible {
    /// Lowercase text with hyphens, as in RFC 9562.
    package var description: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
