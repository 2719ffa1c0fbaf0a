// SPDX-License-Identifier: Apache-2.0

import Sealing
import SeededRandom
import Testing

@Suite("Granule map")
struct GranuleMapTests {
    @Test("finds a run exactly where bits are clear", arguments: [1, 2, 3, 5, 8, 13, 31, 32, 33, 63, 64])
    func firstRun(count: Int) {
        var generator = SeededGenerator(stream: 4000 + UInt64(count))
        for _ in 0..<2000 {
            // Sparse and dense maps alike.
            let used =
                generator.next() & generator.next()
                & (Bool.random(using: &generator) ? generator.next() & generator.next() : .max)
            let expected = (0...64 - count).first { start in
                (start..<start + count).allSatisfy { used >> UInt64($0) & 1 == 0 }
            }
            #expect(GranuleMap.firstRun(of: count, in: used) == expected)
        }
    }

    @Test("rounds runs beyond a word to whole words", arguments: [(1, 1), (64, 64), (65, 128), (512, 512)])
    func rounding(count: Int, rounded: Int) {
        #expect(GranuleMap.roundedCount(count) == rounded)
    }

    @Test("hands out every granule once", arguments: [1, 3, 16, 64, 128, 512, 1024])
    func exhaustion(count: Int) {
        let map = GranuleMap()
        var taken: Set<Int> = []
        while let first = map.allocate(count) {
            let range = first..<first + count
            #expect(taken.isDisjoint(with: range) && range.upperBound <= GranuleMap.granuleCount)
            taken.formUnion(range)
        }
        // Runs within a word may leave a rest in each.
        let perWord = count <= 64 ? 64 / count * count : 64
        #expect(taken.count == perWord * 16)
        #expect(map.usedCount() == taken.count)
    }

    @Test("hands out freed granules again")
    func reuse() throws {
        let map = GranuleMap()
        var runs: [Int] = []
        while let first = map.allocate(8) { runs.append(first) }
        let middle = runs[runs.count / 2]
        map.free(middle, 8)
        let again = map.allocate(8)
        let none = map.allocate(8)
        #expect(again == middle)
        #expect(none == nil)
    }

    @Test("leaves nothing behind when a large run does not fit")
    func rollback() {
        let map = GranuleMap()
        let small = map.allocate(1)
        #expect(small == 0)
        let large = map.allocate(1024)
        #expect(large == nil)
        #expect(map.usedCount() == 1)
        map.free(0, 1)
        let whole = map.allocate(1024)
        #expect(whole == 0)
    }

    @Test("refuses to free granules that are not in use")
    func doubleFree() async {
        await #expect(processExitsWith: .failure) {
            let map = GranuleMap()
            let first = map.allocate(4) ?? 0
            map.free(first, 4)
            map.free(first, 4)
        }
    }
}
