// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import SeededRandom
import Testing

@testable import UnifiedSchema

@Suite("Escapes and times against Foundation")
struct UnescapePropertyTests {
    @Test("text equals what Foundation reads", arguments: 0..<6)
    func text(part: UInt64) throws {
        var random = RandomJSON(stream: 3000 + part)
        for _ in 0..<300 {
            let json = random.string()
            let expected =
                try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed) as? String
            let content = String(json.dropFirst().dropLast())
            let text = JSONString.text(of: content.rawSpan, hasEscapes: content.utf8.contains(ASCII.backslash))
            #expect(text?.string == expected)
            let identity = JSONString.identity(of: content.rawSpan, hasEscapes: content.utf8.contains(ASCII.backslash))
            #expect(identity == text.map { Array($0.utf8) })
        }
    }

    @Test("every code unit in escapes is read as Foundation reads it, alone or in a pair")
    func codeUnits() {
        for unit in stride(from: 0, through: 0xFFFF, by: 97) {
            let escape = "\\u" + String(format: "%04x", unit)
            let text = JSONString.text(of: escape.rawSpan, hasEscapes: true)
            #expect(text?.string == Unicode.Scalar(UInt32(unit)).map { String($0) })
        }
        for scalar in stride(from: 0x10000, through: 0x10FFFF, by: 4099) {
            let high = 0xD800 + (scalar - 0x10000) >> 10
            let low = 0xDC00 + (scalar - 0x10000) & 0x3FF
            let escape = String(format: "\\u%04X\\u%04x", high, low)
            let text = JSONString.text(of: escape.rawSpan, hasEscapes: true)
            #expect(text?.string == Unicode.Scalar(UInt32(scalar)).map { String($0) })
        }
    }

    @Test("whole seconds are the number cut off towards zero", arguments: 0..<4)
    func seconds(part: UInt64) {
        var generator = SeededGenerator(stream: 3100 + part)
        for _ in 0..<500 {
            let whole = Int64.random(in: -4_000_000_000...4_000_000_000, using: &generator)
            #expect(Seconds.parse(UTF8Text("\(whole)")) == whole)
            let fraction = Int.random(in: 0...999, using: &generator)
            if whole != 0 { #expect(Seconds.parse(UTF8Text("\(whole).\(fraction)")) == whole) }
            let digits = Int.random(in: 1...25, using: &generator)
            let long = String((0..<digits).map { _ in "0123456789".randomElement(using: &generator) ?? "0" })
            if let expected = Int64(long) {
                #expect(Seconds.parse(UTF8Text(long)) == expected)
            } else {
                #expect(Seconds.parse(UTF8Text(long)) == nil)
            }
        }
    }
}
