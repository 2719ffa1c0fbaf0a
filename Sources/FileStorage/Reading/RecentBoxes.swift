internal import GroupDirectory
internal import RecordStorage
internal import Synchronization

/// Sealed boxes that were read last, as they stand in the file, until anything changes in the group.
///
/// A box that is read once is as a rule read again soon: an app asks for the same token with every request. Asking the
/// kernel for 2 kB takes a quarter as long as opening them. Whoever overwrites boxes changes the word afterwards, so a box
/// that is gone is not found here; where the word is not shared nothing is kept.
final class RecentBoxes: Sendable {
    /// Boxes at most. A power of two.
    private static let capacity = 32
    /// Longer ones are read each time.
    private static let largestByteCount = 8 << 10

    private struct Content: Sendable {
        /// The word at which all of them were read.
        var word: UInt64 = 0
        var boxes = [(offset: UInt64, bytes: [UInt8])](repeating: (0, []), count: capacity)

        mutating func forget() {
            for index in boxes.indices { boxes[index] = (0, []) }
        }
    }

    private let revision: RevisionPage
    private let content = Mutex(Content())

    init(_ revision: RevisionPage) {
        self.revision = revision
    }

    /// What a box has to be read after, to be kept; nil where others cannot change it.
    var word: UInt64? { revision.isShared ? revision.word.load() : nil }

    /// The box at a place, if it was read at this word.
    func box(at place: BoxPlace, word: UInt64) -> [UInt8]? {
        let slot = Self.slot(place)
        return content.withLock { content in
            guard content.word == word, content.boxes[slot].offset == place.offset,
                content.boxes[slot].bytes.count == Int(place.length)
            else { return nil }
            return content.boxes[slot].bytes
        }
    }

    /// Keeps a box that was read after the word was loaded.
    func keep(_ bytes: [UInt8], at place: BoxPlace, word: UInt64) {
        guard bytes.count <= Self.largestByteCount else { return }
        let slot = Self.slot(place)
        content.withLock { content in
            if content.word != word {
                content.forget()
                content.word = word
            }
            content.boxes[slot] = (place.offset, bytes)
        }
    }

    /// Tells everybody that boxes were overwritten.
    func noteErased() {
        revision.bump()
        forget()
    }

    /// Forgets all of them: something changed, whatever the word says.
    func forget() {
        content.withLock { $0.forget() }
    }

    private static func slot(_ place: BoxPlace) -> Int {
        Int(truncatingIfNeeded: (place.offset &* 0x9E37_79B9_7F4A_7C15) >> 59) & (capacity - 1)
    }
}
