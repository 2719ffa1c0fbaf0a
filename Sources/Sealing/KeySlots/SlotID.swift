internal import ByteOperations

/// Names a key slot: 128 random bits, made with the slot and never used again.
package struct SlotID: Hashable, Sendable {
    /// Number of bytes.
    package static let byteCount = 16

    /// The sixteen bytes.
    package let bytes: [UInt8]

    /// The id of these bytes, or `nil` where they are not sixteen.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The id that ``description`` gives as `text`, or `nil` where the text is none.
    package init?(_ text: String) {
        let digits = text.utf8.compactMap { $0 < 0x80 ? Character(Unicode.Scalar($0)).hexDigitValue : nil }
        guard digits.count == 2 * Self.byteCount, text.utf8.count == digits.count else { return nil }
        bytes = (0..<Self.byteCount).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
    }

    /// A new one, where it has to be known before the slot is made.
    package init() {
        self.init(random: .system)
    }

    init(random: RandomSource) {
        bytes = random.bytes(Self.byteCount)
    }
}

extension SlotID: CustomStringConvertible {
    /// 32 hexadecimal digits.
    package var description: String {
        Hexadecimal.text(bytes)
    }
}
