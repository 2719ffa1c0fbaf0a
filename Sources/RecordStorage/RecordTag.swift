/// Names one record inside a group: a keyed hash of its identity, 128 bits.
///
/// A store compares tags and never learns what they were made from.
package struct RecordTag: Hashable, Sendable {
    /// The first eight bytes, read as a little-endian number.
    package let first: UInt64
    /// The last eight bytes, read as a little-endian number.
    package let second: UInt64

    /// Number of bytes of a tag.
    package static let byteCount = 16

    package init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    /// A tag is the output of a keyed hash: its bits are as good as any hash of them.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(first)
    }
}

extension RecordTag: Comparable {
    package static func < (left: RecordTag, right: RecordTag) -> Bool {
        (left.first, left.second) < (right.first, right.second)
    }
}
