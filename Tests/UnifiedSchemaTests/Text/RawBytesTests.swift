// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import SeededRandom
import Testing

@testable import UnifiedSchema

@Suite("Bytes, eight at a time")
struct RawBytesTests {
    private static func random(_ generator: inout SeededGenerator, upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    @Test("equality and order are those of the bytes one by one")
    func comparison() {
        var generator = SeededGenerator(stream: 11)
        for _ in 0..<2000 {
            let one = Self.random(&generator, upTo: 40)
            var other = Bool.random(using: &generator) ? one : Self.random(&generator, upTo: 40)
            if !other.isEmpty, Bool.random(using: &generator) { other[other.count - 1] ^= 1 }
            let isEqual = one.rawSpan.isEqual(to: other.rawSpan)
            let precedes = one.rawSpan.precedes(other.rawSpan)
            #expect(isEqual == (one == other))
            #expect(precedes == one.lexicographicallyPrecedes(other))
        }
    }

    @Test("a word is its bytes, the first one lowest")
    func words() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        #expect(bytes.rawSpan.word(at: 0) == 0x0807_0605_0403_0201)
        #expect(bytes.rawSpan.word(at: 1) == 0x0908_0706_0504_0302)
        #expect(bytes.rawSpan.partialWord(at: 7, count: 2) == 0x0908)
        #expect(bytes.rawSpan.partialWord(at: 9, count: 0) == 0)
        #expect(bytes.rawSpan.partialWord(at: 9, count: -3) == 0)
    }

    @Test("whether all is ASCII is seen at each place")
    func ascii() {
        for count in 0..<40 {
            var bytes = [UInt8](repeating: 0x7F, count: count)
            let plain = bytes.rawSpan.isASCII
            #expect(plain)
            for index in 0..<count {
                bytes[index] = 0x80
                let marked = bytes.rawSpan.isASCII
                #expect(!marked)
                bytes[index] = 0x7F
            }
        }
    }

    @Test("folding eight bytes is folding each")
    func folding() {
        for first in 0...255 {
            for second in [0x00, 0x40, 0x41, 0x5A, 0x5B, 0x7F, 0x80, 0xC1, 0xFF] {
                let word = UInt64(first) | UInt64(second) << 8 | UInt64(first) << 56
                let folded = ASCII.folded(word: word)
                #expect(UInt8(truncatingIfNeeded: folded) == ASCII.folded(UInt8(first)))
                #expect(UInt8(truncatingIfNeeded: folded >> 8) == ASCII.folded(UInt8(second)))
                #expect(UInt8(truncatingIfNeeded: folded >> 56) == ASCII.folded(UInt8(first)))
            }
        }
    }

    @Test("all pairs of bytes that begin a letter agree with Swift")
    func pairs() {
        for first in UInt8(0x80)...0xFF {
            for second in UInt8.min...UInt8.max {
                let bytes = [first, second]
                let length = bytes.rawSpan.lengthOfSequence(at: 0)
                let isText = String(validating: bytes, as: UTF8.self) != nil
                #expect((length == 2) == isText, "\(bytes)")
            }
        }
    }

    @Test("longer sequences that are letters agree with Swift", arguments: [3, 4])
    func longer(length: Int) {
        let edges: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        for first in UInt8(0xE0)...0xF8 {
            for second in edges {
                for third in edges {
                    let bytes = [first, second, third] + (length == 4 ? [0xBF] : [])
                    let found = bytes.rawSpan.lengthOfSequence(at: 0)
                    let isText = String(validating: bytes, as: UTF8.self) != nil
                    #expect((found == length) == isText, "\(bytes)")
                }
            }
        }
    }

    @Test("plain text ends at the first special byte, at any position")
    func plainText() {
        var generator = SeededGenerator(stream: 12)
        let specials: [UInt8] = [0x22, 0x5C, 0x00, 0x1F, 0x80, 0xFF]
        for _ in 0..<2000 {
            var bytes = (0..<100).map { _ in UInt8.random(in: 0x20...0x7F, using: &generator) }
            bytes = bytes.map { $0 == 0x22 || $0 == 0x5C ? 0x23 : $0 }
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: 0..<100, using: &generator)] = specials.randomElement(using: &generator) ?? 0
            }
            let start = Int.random(in: 0..<100, using: &generator)
            let found = bytes.rawSpan.endOfPlainText(from: start)
            let expected = (start..<100).first {
                bytes[$0] < 0x20 || bytes[$0] >= 0x80 || [0x22, 0x5C].contains(bytes[$0])
            }
            #expect(found == expected ?? 100)
        }
    }

    @Test("bytes to escape in a string are seen at every offset")
    func plainStrings() {
        var generator = SeededGenerator(stream: 13)
        // Neighbours of what is special, and letters beyond ASCII, which stay.
        let harmless: [UInt8] = [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F, 0x80, 0xFF]
        let specials: [UInt8] = [0x00, 0x1F, 0x22, 0x5C]
        for _ in 0..<4000 {
            let count = Int.random(in: 0...40, using: &generator)
            var bytes = (0..<count).map { _ in harmless.randomElement(using: &generator) ?? 0 }
            if count > 0, Bool.random(using: &generator) {
                bytes[Int.random(in: 0..<count, using: &generator)] = specials.randomElement(using: &generator) ?? 0
            }
            let isPlain = JSONString.isPlain(bytes.rawSpan)
            #expect(isPlain == bytes.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C })
        }
    }

    @Test("appending folded text of any length folds each byte")
    func foldedAppending() {
        var generator = SeededGenerator(stream: 14)
        for _ in 0..<500 {
            let parts = (0..<3).map { _ in Self.random(&generator, upTo: 20) }
            let joined = [UInt8](capacity: 60) { output in
                for part in parts { output.append(part.rawSpan, folding: true) }
            }
            #expect(joined == parts.joined().map { ASCII.folded($0) })
        }
    }

    @Test("text is made only of UTF-8, folded or not")
    func text() {
        let valid = Array("ABCDEFGHIJ é".utf8)
        #expect(String(valid.rawSpan) == "ABCDEFGHIJ é")
        #expect(String(folding: valid.rawSpan) == "abcdefghij é")
        // A repaired text could be as long as what it was made from.
        let broken: [UInt8] = [0x41, 0xF0, 0x9F, 0x98]
        #expect(String(broken.rawSpan) == nil)
        #expect(String(folding: broken.rawSpan) == nil)
    }
}
