/// Which of the 1024 granules of a slab are in use: one bit each.
///
/// Runs of up to 64 granules lie within one word of the map, larger ones take whole words, so that finding a run is a
/// few instructions per word.
struct GranuleMap {
    static let granuleCount = 1024
    private static let wordCount = granuleCount / 64

    private var used: InlineArray<16, UInt64> = .init(repeating: 0)
    private var startWord = 0
    private(set) var freeCount = granuleCount

    /// Number of granules that a run of `count` really takes.
    static func roundedCount(_ count: Int) -> Int {
        count <= 64 ? count : (count + 63) & ~63
    }

    /// Takes a run of `count` granules (already rounded) and returns its first, or `nil` where there is none.
    mutating func take(_ count: Int) -> Int? {
        guard count > 0, count <= freeCount else { return nil }
        guard let first = count <= 64 ? findWithinWord(count) : findWords(count / 64) else { return nil }
        mark(first, count, asUsed: true)
        freeCount -= count
        startWord = first / 64
        return first
    }

    /// Gives back a run that ``take(_:)`` returned.
    mutating func giveBack(_ first: Int, _ count: Int) {
        mark(first, count, asUsed: false)
        freeCount += count
        startWord = first / 64
    }

    private func findWithinWord(_ count: Int) -> Int? {
        for step in 0..<Self.wordCount {
            let word = (startWord + step) % Self.wordCount
            // After the loop a bit is set where a free run of `count` begins.
            var runs = ~used[word]
            var length = 1
            while length < count, runs != 0 {
                let shift = min(length, count - length)
                runs &= runs >> UInt64(shift)
                length += shift
            }
            if runs != 0 { return word * 64 + runs.trailingZeroBitCount }
        }
        return nil
    }

    private func findWords(_ count: Int) -> Int? {
        var free = 0
        for word in 0..<Self.wordCount {
            free = used[word] == 0 ? free + 1 : 0
            if free == count { return (word - count + 1) * 64 }
        }
        return nil
    }

    private mutating func mark(_ first: Int, _ count: Int, asUsed: Bool) {
        if count > 64 {
            for word in first / 64..<(first + count) / 64 { used[word] = asUsed ? .max : 0 }
            return
        }
        let mask = (UInt64.max >> UInt64(64 - count)) << UInt64(first % 64)
        precondition(used[first / 64] & mask == (asUsed ? 0 : mask), "a run of granules was given back twice")
        used[first / 64] ^= mask
    }
}
