internal import RecordStorage
internal import TokenCaching

/// Finds the keys, told by the tags of their records, that entries of several partitions have.
struct KeyCensus {
    /// The first halves of all tags: little memory for many entries.
    private var seen: Set<UInt64> = []
    /// Tags that may have been there before.
    private(set) var repeated: Set<RecordTag> = []

    mutating func count(_ tag: RecordTag) {
        if !seen.insert(tag.first).inserted { repeated.insert(tag) }
    }

    /// Takes a tag that no entry has; false where one may have it.
    mutating func claim(_ tag: RecordTag) -> Bool { seen.insert(tag.first).inserted }
}
