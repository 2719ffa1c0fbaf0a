// SPDX-License-Identifier: Apache-2.0

// SAFETY: the arrays outlive their spans.

import Testing

@testable import TokenCaching

@Suite("What cannot be a scope, a tenant or a host")
struct QueryDefectTests {
    /// Texts of every length up to four words of a processor, with one byte of every value at each place.
    private static func forEachText(of filling: UInt8, _ body: ([UInt8], UInt8, Int) -> Void) {
        for count in 1...32 {
            for place in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    var text = [UInt8](repeating: filling, count: count)
                    text[place] = byte
                    body(text, byte, place)
                }
            }
        }
    }

    @Test("a scope has no quote, no backslash and no control character, wherever in the text it stands")
    func scopes() {
        Self.forEachText(of: UInt8(ascii: "s")) { text, byte, _ in
            let isNone = byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            let defect = unsafe QueryDefect.ofScopes(text.span.bytes)
            #expect((defect != nil) == isNone, "\(text)")
        }
    }

    @Test(
        "plain tenants and hosts have letters, digits, hyphens and dots; a dot is not last, and no sign is beside another"
    )
    func plain() {
        let plain = Set("abcdefghijklmnopqrstuvwxyz0123456789-.".utf8)
        Self.forEachText(of: UInt8(ascii: "x")) { text, byte, place in
            let isPlain = plain.contains(byte) && !(byte == UInt8(ascii: ".") && place == text.count - 1)
            let found = unsafe QueryDefect.arePlain(text.span.bytes)
            #expect(found == isPlain, "\(text)")
        }
        for count in [7, 8, 14, 15, 16, 22, 23, 24, 29, 30] {
            for first in 0..<count - 2 {
                for second in first + 1..<count - 1 {
                    for signs in ["..", ".-", "-.", "--"] {
                        var text = [UInt8](repeating: UInt8(ascii: "x"), count: count)
                        (text[first], text[second]) = (signs.utf8.first ?? 0, signs.utf8.last ?? 0)
                        let found = unsafe QueryDefect.arePlain(text.span.bytes)
                        #expect(found == (second > first + 1), "\(count) \(first) \(second) \(signs)")
                    }
                }
            }
        }
    }
}
