internal import Synchronization

/// Reads and writes the two notes in the page. Writing needs the writer's lock; reading needs none.
@safe struct SyncedLengthNotes {
    /// The start of the page.
    // SAFETY: whoever makes this value keeps the page mapped while it is used.
    private let base: UnsafeMutableRawPointer

    init(base: UnsafeMutableRawPointer) {
        unsafe self.base = base
    }

    /// The newest note that is whole.
    func read() -> SyncedLength? {
        newest()?.note
    }

    /// Puts a note in the place of the older one.
    func write(_ note: SyncedLength) {
        let last = newest()
        let count = (last?.count ?? 0) &+ 1
        let slot = last.map { 1 - $0.slot } ?? 0
        let words = Self.words(note, count: count)
        for index in words.indices {
            unsafe word(slot, index).pointee.store(words[index], ordering: .releasing)
        }
    }

    private typealias Words = InlineArray<8, UInt64>

    private typealias Found = (note: SyncedLength, count: UInt64, slot: Int)

    /// Without the lock, both notes may be overwritten while they are read. Then it reads again, lest it takes an old
    /// one for the newest; a writer that is faster all the time is not waited for.
    private func newest() -> Found? {
        for _ in 0..<100 {
            let counts = counts
            let found = newestOnce()
            if counts == self.counts { return found }
        }
        return newestOnce()
    }

    /// The first words of both notes.
    private var counts: (UInt64, UInt64) {
        unsafe (word(0, 0).pointee.load(ordering: .acquiring), word(1, 0).pointee.load(ordering: .acquiring))
    }

    private func newestOnce() -> Found? {
        var best: Found?
        for slot in RevisionLayout.noteOffsets.indices {
            let words = Words { index in unsafe word(slot, index).pointee.load(ordering: .acquiring) }
            let note = SyncedLength(
                boot: BootID(first: words[1], second: words[2]),
                journal: (words[3], words[4]),
                length: words[5]
            )
            guard words[0] != 0, Self.areEqual(words, Self.words(note, count: words[0])) else { continue }
            if let known = best, known.count > words[0] { continue }
            best = (note, words[0], slot)
        }
        return best
    }

    /// Count, boot, journal, length, a spare zero, and a checksum that a half-written note does not have.
    private static func words(_ note: SyncedLength, count: UInt64) -> Words {
        var words: Words = [
            count, note.boot.first, note.boot.second, note.journalFirst, note.journalSecond, note.length, 0, 0,
        ]
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in 0..<Words.count - 1 {
            sum = (sum ^ words[index]) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 29
        }
        words[Words.count - 1] = sum
        return words
    }

    private static func areEqual(_ left: Words, _ right: Words) -> Bool {
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    private func word(_ slot: Int, _ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        // SAFETY: both notes lie within the page and are aligned to 64 bytes.
        unsafe (base + RevisionLayout.noteOffsets[slot] + index * 8).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
