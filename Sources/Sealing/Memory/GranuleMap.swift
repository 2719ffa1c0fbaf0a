// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Records which of a slab's 1024 granules are in use, with one bit each, using atomic operations instead of a lock.
///
/// A run of up to 64 granules lies within one word, so allocating it is one compare-and-exchange, and freeing it one
/// atomic AND. Larger runs occupy whole words.
package struct GranuleMap: ~Copyable, Sendable {
    package static let granuleCount = 1024
    private static let wordCount = 16

    private let words = InlineArray<16, Atomic<UInt64>> { _ in Atomic(0) }
    /// Where to start searching: the word in which a run was last found or freed.
    private let startWord = Atomic<Int>(0)

    package init() {}

    /// The number of granules that a run of `count` granules occupies.
    @inline(always)
    package static func roundedCount(_ count: Int) -> Int {
        count <= 64 ? count : (count + 63) & ~63
    }

    /// Allocates a run of `count` granules, a rounded count, and returns its first granule; `nil` if no run is free.
    @inline(always)
    package borrowing func allocate(_ count: Int) -> Int? {
        count <= 64 ? allocateWithinWord(count) : allocateWords(count / 64)
    }

    /// Frees a run allocated with ``allocate(_:)``.
    @inline(always)
    package borrowing func free(_ first: Int, _ count: Int) {
        if count <= 64 {
            let mask = Self.mask(first % 64, count)
            let before = words[first / 64].bitwiseAnd(~mask, ordering: .releasing).oldValue
            precondition(before & mask == mask, "secret memory was freed twice")
        } else {
            for word in first / 64..<(first + count) / 64 { words[word].store(0, ordering: .releasing) }
        }
        startWord.store(first / 64, ordering: .relaxed)
    }

    /// The number of granules in use.
    package borrowing func usedCount() -> Int {
        (0..<Self.wordCount).reduce(0) { $0 + words[$1].load(ordering: .relaxed).nonzeroBitCount }
    }

    /// The start of a run of `count` clear bits in `used`; `nil` if it has none.
    @inline(always)
    package static func firstRun(of count: Int, in used: UInt64) -> Int? {
        // After the loop, a bit is set if a run of `count` clear bits starts there. The bits shifted in at the top
        // count as used.
        var runs = ~used
        var length = 1
        while length < count, runs != 0 {
            let shift = min(length, count - length)
            runs &= runs >> UInt64(shift)
            length += shift
        }
        return runs == 0 ? nil : runs.trailingZeroBitCount
    }

    @inline(always)
    private static func mask(_ first: Int, _ count: Int) -> UInt64 {
        (.max &>> UInt64(64 - count)) &<< UInt64(first)
    }

    @inline(always)
    private borrowing func allocateWithinWord(_ count: Int) -> Int? {
        let start = startWord.load(ordering: .relaxed)
        for step in 0..<Self.wordCount {
            let word = (start &+ step) % Self.wordCount
            var used = words[word].load(ordering: .relaxed)
            while let first = Self.firstRun(of: count, in: used) {
                let taken = used | Self.mask(first, count)
                let result = words[word].weakCompareExchange(expected: used, desired: taken, ordering: .acquiring)
                if result.exchanged {
                    if step > 0 { startWord.store(word, ordering: .relaxed) }
                    return word * 64 + first
                }
                used = result.original
            }
        }
        return nil
    }

    private borrowing func allocateWords(_ count: Int) -> Int? {
        var first = 0
        while first + count <= Self.wordCount {
            var taken = 0
            while taken < count,
                words[first + taken].compareExchange(expected: 0, desired: .max, ordering: .acquiring).exchanged
            {
                taken += 1
            }
            if taken == count { return first * 64 }
            for word in first..<first + taken { words[word].store(0, ordering: .releasing) }
            first += taken + 1
        }
        return nil
    }
}
