// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@Suite("A varint")
struct VarintTests {
    static let vectors: [(Int, [UInt8])] = [
        (0, [0x00]), (1, [0x01]), (0x7F, [0x7F]), (0x80, [0x80, 0x01]), (300, [0xAC, 0x02]), (0x3FFF, [0xFF, 0x7F]),
        (0x4000, [0x80, 0x80, 0x01]), (0x7_FFFF_FFFF, [0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
    ]

    @Test("is written and read in seven bits a byte, lowest first", arguments: vectors)
    func vector(value: Int, bytes: [UInt8]) {
        var written: [UInt8] = [9]
        written.append(varint: value)
        #expect(written == [9] + bytes)
        var position = 1
        #expect(Varint.read(written.rawSpan, at: &position) == value)
        #expect(position == written.count)
    }

    @Test("that ends too early is rejected, with the position at the end", arguments: vectors)
    func cut(value: Int, bytes: [UInt8]) {
        let start = Array(bytes.dropLast())
        var position = 0
        #expect(Varint.read(start.rawSpan, at: &position) == nil)
        #expect(position == start.count)
    }

    @Test("of more than five bytes is none")
    func tooLong() {
        var position = 0
        #expect(Varint.read([0x80, 0x80, 0x80, 0x80, 0x80, 0x01].rawSpan, at: &position) == nil)
    }
}
