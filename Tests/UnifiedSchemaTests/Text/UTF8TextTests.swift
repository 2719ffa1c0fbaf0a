// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import SeededRandom
import Testing

@testable import UnifiedSchema

@Suite("Text by its bytes")
struct UTF8TextTests {
    @Test("composed and decomposed letters are two texts")
    func normalForms() {
        let composed = UTF8Text("caf\u{E9}")
        let decomposed = UTF8Text("cafe\u{301}")
        #expect(composed.string == decomposed.string)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test("equal bytes are equal and hash alike, whatever their length", arguments: 0..<40)
    func equality(length: Int) {
        let text = String(repeating: "ab", count: length)
        #expect(UTF8Text(text) == UTF8Text(text))
        #expect(UTF8Text(text).hashValue == UTF8Text(text).hashValue)
        #expect(UTF8Text(text + "x") != UTF8Text(text + "y"))
        #expect(UTF8Text("x" + text) != UTF8Text("y" + text))
    }

    @Test(
        "texts are ordered by their bytes",
        arguments: [
            ("", "a"), ("a", "b"), ("a", "aa"), ("Z", "a"), ("z", "é"), ("é", "€"), ("\u{FFFF}", "\u{10000}"),
            ("12345678", "123456789"), ("abcdefgha", "abcdefghb"), ("abcdefgZ", "abcdefga"),
        ]
    )
    func order(lower: String, higher: String) {
        #expect(UTF8Text(lower) < UTF8Text(higher))
        #expect(!(UTF8Text(higher) < UTF8Text(lower)))
    }

    @Test("folding touches A-Z and nothing else")
    func folding() {
        for scalar in 0..<128 {
            let text = String(UnicodeScalar(UInt8(scalar)))
            let isUpper = (65...90).contains(scalar)
            let expected = isUpper ? text.lowercased() : text
            #expect(UTF8Text(text).asciiLowercased().string == expected)
            let long = String(repeating: text, count: 19)
            #expect(UTF8Text(long).asciiLowercased().string == String(repeating: expected, count: 19))
        }
        #expect(UTF8Text("ÄÖÜ İ KELVIN \u{212A} ABCDEFGH").asciiLowercased().string == "ÄÖÜ İ kelvin \u{212A} abcdefgh")
    }

    @Test(
        "trimming takes ASCII white space from both ends",
        arguments: [
            ("", ""), ("  ", ""), (" a b ", "a b"), ("\t\r\n\u{B}\u{C}x\n", "x"), ("\u{A0}x", "\u{A0}x"),
            ("abc", "abc"),
        ]
    )
    func trimming(text: String, expected: String) {
        #expect(UTF8Text(text).trimmed() == UTF8Text(expected))
        #expect(UTF8Text(text).isBlank == expected.isEmpty)
    }

    @Test(
        "bytes that are not UTF-8 are not text",
        arguments: [[0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]]
    )
    func invalid(bytes: [UInt8]) {
        let text = UTF8Text(utf8: bytes.rawSpan)
        let normalized = UTF8Text(normalizing: bytes.rawSpan)
        #expect(text == nil)
        #expect(normalized == nil)
    }

    @Test("line feeds are counted exactly")
    func newlines() {
        for count in [0, 1, 7, 8, 9, 100, 5000] {
            let bytes = [UInt8](repeating: 0x0A, count: count)
            let found = bytes.rawSpan.newlineCount(before: count)
            #expect(found == count)
        }
        var generator = SeededGenerator(stream: 7)
        for _ in 0..<200 {
            let bytes = (0..<300).map { _ in UInt8.random(in: 8...12, using: &generator) }
            let end = Int.random(in: 0...300, using: &generator)
            let found = bytes.rawSpan.newlineCount(before: end)
            #expect(found == bytes[..<end].count { $0 == 0x0A })
        }
    }

    @Test("a byte is found at any position")
    func contains() {
        for position in 0..<30 {
            var bytes = [UInt8](repeating: 0x5B, count: 30)
            let before = bytes.rawSpan.contains(0x5C)
            bytes[position] = 0x5C
            let after = bytes.rawSpan.contains(0x5C)
            #expect(!before && after)
        }
    }
}
