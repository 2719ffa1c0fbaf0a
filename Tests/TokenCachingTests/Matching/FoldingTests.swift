// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Folding")
struct FoldingTests {
    @Test("eight bytes at once equals folding each")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            for position in 0..<8 {
                // Others around it, so that nothing may be carried over.
                var bytes: [UInt8] = [0xFF, 0x41, 0x5A, 0x80, 0x40, 0x5B, 0x7F, 0x00]
                bytes[position] = byte
                let word = bytes.enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
                let expected = bytes.enumerated().reduce(UInt64(0)) {
                    $0 | UInt64(ASCII.folded($1.element)) << UInt64(8 * $1.offset)
                }
                #expect(ASCII.folded(word: word) == expected)
            }
        }
    }

    @Test("and trimming touch ASCII only")
    func asciiOnly() {
        var text = QueryText(capacity: 0)
        let range = text.appendFolded(" \tÄB\u{A0}\n")
        let folded = String(copying: text.span(range))
        #expect(folded == "Äb\u{A0}")
        let blank = text.appendFolded("  ")
        #expect(blank.isEmpty)
    }
}
