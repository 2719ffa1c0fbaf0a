// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import SeededRandom
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("The texts of a query")
struct QueryTextTests {
    @Test("find room, however many come", arguments: [0, 1, 16, 1000])
    func growth(capacity: Int) {
        var text = QueryText(capacity: capacity)
        let ranges = (0..<200).map { text.append("text number \($0)") }
        let copy = QueryText(copying: text)
        for (index, range) in ranges.enumerated() {
            let (original, copied) = (String(copying: text.span(range)), String(copying: copy.span(range)))
            #expect(original == "text number \(index)")
            #expect(copied == original)
        }
    }

    @Test("are trimmed and folded at every length as byte by byte")
    func everyLength() {
        var generator = SeededGenerator(stream: 7)
        for length in 0...40 {
            for _ in 1...200 {
                let before = RandomText(length: 3, &generator)
                let asked = RandomText(length: length, &generator)
                var text = QueryText(capacity: 0)
                let first = text.append(before.string)
                let plain = text.append(asked.string)
                let trimmed = text.appendTrimmed(asked.string)
                let folded = text.appendFolded(asked.string)
                #expect(text.bytes(first) == before.bytes)
                #expect(text.bytes(plain) == asked.bytes)
                #expect(text.bytes(trimmed) == asked.trimmed)
                #expect(text.bytes(folded) == asked.trimmed.map(ASCII.folded))
            }
        }
    }

    @Test("are split into the words that are wanted at every length as byte by byte")
    func words() {
        var generator = SeededGenerator(stream: 8)
        for length in 0...40 {
            for _ in 1...200 {
                let asked = [length, 2, length].map { RandomText(length: $0, &generator) }
                var text = QueryText(capacity: 0)
                let before = text.append("Before ")
                let start = text.count
                for asked in asked { text.appendWords(asked.string) }
                text.fold(from: start)
                text.keepWords(from: start) { $0.byte(at: 0) != UInt8(ascii: "a") }
                let expected = asked.flatMap(\.words).map { $0.map(ASCII.folded) }
                    .filter { $0[0] != UInt8(ascii: "a") }.flatMap { $0 + [0x20] }
                #expect(text.bytes(text.range(from: start)) == expected)
                #expect(text.bytes(before) == Array("Before ".utf8))
            }
        }
    }
}

extension QueryText {
    fileprivate func bytes(_ range: TextRange) -> [UInt8] {
        let span = span(range)
        return (0..<span.byteCount).map { span.byte(at: $0) }
    }
}
