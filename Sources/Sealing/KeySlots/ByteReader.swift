// SPDX-License-Identifier: Apache-2.0

/// Reads bytes in order, never past the end.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var remaining: Int { bytes.count - position }

    mutating func read(_ count: Int) throws(SealingError) -> [UInt8] {
        guard count >= 0, count <= remaining else { throw SealingError(.malformed) }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func readRest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[position...])
    }

    mutating func readUInt8() throws(SealingError) -> UInt8 {
        try readNumber(byteCount: 1)
    }

    mutating func readUInt16() throws(SealingError) -> UInt16 {
        try readNumber(byteCount: 2)
    }

    mutating func readUInt32() throws(SealingError) -> UInt32 {
        try readNumber(byteCount: 4)
    }

    /// Reads a little-endian number.
    private mutating func readNumber<Number: FixedWidthInteger>(byteCount: Int) throws(SealingError) -> Number {
        guard byteCount <= remaining else { throw SealingError(.malformed) }
        var number: Number = 0
        for index in 0..<byteCount { number |= Number(bytes[position + index]) << Number(8 * index) }
        position += byteCount
        return number
    }
}
