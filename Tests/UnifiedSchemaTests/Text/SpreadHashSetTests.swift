import SeededRandom
import Testing

@testable import UnifiedSchema

@Suite("Hashes of what was seen")
struct SpreadHashSetTests {
    @Test("says what a set says", arguments: [1, 2, 3] as [UInt64])
    func likeSet(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var hashes = SpreadHashSet()
        var reference: Set<UInt64> = []
        for _ in 0..<5_000 {
            // Few values, so that some come twice; equal low bits, so that they stand in each other's way.
            let hash = (random.next() % 1_500) << 32
            #expect(hashes.contains(hash) == reference.contains(hash))
            #expect(hashes.insert(hash) == reference.insert(hash).inserted)
            #expect(hashes.contains(hash))
        }
    }
}
