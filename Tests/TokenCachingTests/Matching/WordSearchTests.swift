// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import SeededRandom
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Words are found in text")
struct WordSearchTests {
    @Test("as splitting the text would find them")
    func randomTexts() {
        var random = SeededGenerator(stream: 10)
        let letters: [UInt8] = Array("aAbB \t\n\u{1}é".utf8)
        for _ in 1...20_000 {
            let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? 0x20
            }
            let word = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Array("ab\u{1}".utf8).randomElement(using: &random) ?? 0x61
            }
            let expected = text.split(whereSeparator: ASCII.isWhitespace).contains { $0.map(ASCII.folded) == word }
            let found = text.rawSpan.endOfFirst(folded: word.rawSpan, from: 0) != nil
            #expect(found == expected)
        }
    }

    @Test("the empty word is in no text")
    func empty() {
        let (empty, text) = ([UInt8](), Array("a  b".utf8))
        let inNothing = empty.rawSpan.endOfFirst(folded: empty.rawSpan, from: 0) != nil
        let inText = text.rawSpan.endOfFirst(folded: empty.rawSpan, from: 0) != nil
        #expect(!inNothing && !inText)
    }
}
