// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Identifies a key slot: 128 random bits, generated with the slot and never reused.
package struct SlotID: Hashable, Sendable {
    /// The number of bytes.
    package static let byteCount = 16

    /// The sixteen bytes.
    package let bytes: [UInt8]

    /// Creates an id from its bytes; `nil` unless they are sixteen.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Parses the text form of ``description``; `nil` if the text is not an id.
    package init?(_ text: String) {
        let digits = text.utf8.compactMap { $0 < 0x80 ? Character(Unicode.Scalar($0)).hexDigitValue : nil }
        guard digits.count == 2 * Self.byteCount, text.utf8.count == digits.count else { return nil }
        bytes = (0..<Self.byteCount).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
    }

    /// A random id, for a caller that needs it before creating the slot.
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
