// SPDX-License-Identifier: Apache-2.0

/// Reads fields in order from unauthenticated bytes.
struct FieldReader {
    private let bytes: [UInt8]
    private(set) var offset: Int

    /// The bytes end before a field, or a field is invalid.
    struct Malformed: Error {}

    init(_ bytes: [UInt8], from offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    var isAtEnd: Bool { offset == bytes.count }
    var left: Int { bytes.count - offset }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(Malformed) -> Number {
        let count = Number.bitWidth / 8
        guard left >= count else { throw Malformed() }
        var number: Number = 0
        for index in 0..<count { number |= Number(truncatingIfNeeded: bytes[offset + index]) << Number(8 * index) }
        offset += count
        return number
    }

    mutating func take(_ count: Int) throws(Malformed) -> [UInt8] {
        guard count >= 0, left >= count else { throw Malformed() }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    mutating func skip(_ count: Int) throws(Malformed) {
        guard count >= 0, left >= count else { throw Malformed() }
        offset += count
    }

    /// Skips these bytes, or throws if others come next.
    mutating func expect(_ expected: [UInt8]) throws(Malformed) {
        guard try take(expected.count) == expected else { throw Malformed() }
    }
}
