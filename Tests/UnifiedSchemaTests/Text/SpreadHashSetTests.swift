// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing

@testable import UnifiedSchema

@Suite("Hashes of seen values")
struct SpreadHashSetTests {
    @Test("agrees with a set", arguments: [1, 2, 3] as [UInt64])
    func likeSet(part: UInt64) {
        var random = SeededGenerator(stream: part)
        var hashes = SpreadHashSet()
        var reference: Set<UInt64> = []
        for _ in 0..<5_000 {
            // Few values, so that some come twice; of half of them the low bits are equal, so that they stand in each
            // other's way.
            let value = random.next() % 1_500
            let hash = value.isMultiple(of: 2) ? value << 32 : value &* 0x9E37_79B9_7F4A_7C15
            #expect(hashes.contains(hash) == reference.contains(hash))
            #expect(hashes.insert(hash) == reference.insert(hash).inserted)
            #expect(hashes.contains(hash))
        }
    }
}
