// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import SeededRandom
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Bytes are compared at every length as byte by byte")
struct ComparisonTests {
    @Test("with those that differ in one place, in case only, or not at all")
    func everyLength() {
        var generator = SeededGenerator(stream: 5)
        for length in 0...40 {
            for _ in 1...20 {
                let one = RandomText(length: length, &generator).bytes
                var others = [one, one + [0x61], one.map(ASCII.folded)]
                others += one.indices.map { index in
                    var other = one
                    other[index] ^= 0x20
                    return other
                }
                for other in others {
                    let isEqual = one.rawSpan.isEqual(to: other.rawSpan)
                    let isFolded = other.rawSpan.isEqual(toFolded: one.rawSpan)
                    #expect(isEqual == (one == other), "\(one) \(other)")
                    #expect(isFolded == (other.map(ASCII.folded) == one), "\(one) \(other)")
                    let isEqualButForCase = one.rawSpan.isEqual(ignoringCase: other.rawSpan)
                    #expect(isEqualButForCase == (one.map(ASCII.folded) == other.map(ASCII.folded)), "\(one) \(other)")
                }
            }
        }
    }

    @Test("with words that a text may begin with")
    func beginnings() {
        var generator = SeededGenerator(stream: 6)
        for length in 0...40 {
            for _ in 1...50 {
                let text = RandomText(length: length, &generator).bytes
                for count in 0...length {
                    let words = text.prefix(count).map(ASCII.folded)
                    let endsThere = count == length || ASCII.isWhitespace(text[count])
                    let begins = text.rawSpan.begins(withFolded: words.rawSpan)
                    let longer = text.rawSpan.begins(withFolded: (words + [0x41]).rawSpan)
                    #expect(begins == endsThere, "\(text) \(count)")
                    #expect(!longer, "\(text) \(count)")
                }
            }
        }
    }
}
