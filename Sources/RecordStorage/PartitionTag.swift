/// Names the records that are read together, as a rule those of one account: a keyed hash, 128 bits.
///
/// Public, although no client sees this module, for the reason that ``RevisionWord`` gives: tables of tags would call it for
/// every hash and every comparison.
@frozen public struct PartitionTag: Hashable, Sendable {
    /// The first eight bytes, read as a little-endian number.
    public let first: UInt64
    /// The last eight bytes, read as a little-endian number.
    public let second: UInt64

    /// Number of bytes of a tag.
    package static let byteCount = 16

    /// The tag of these two numbers.
    @inlinable
    public init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    /// A tag is the output of a keyed hash: its bits are as good as any hash of them.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
    }

    /// Whether both are one tag.
    @inlinable
    public static func == (left: PartitionTag, right: PartitionTag) -> Bool {
        left.first == right.first && left.second == right.second
    }
}

extension PartitionTag: Comparable {
    /// Whether `left` comes first where tags are put in order.
    @inlinable
    public static func < (left: PartitionTag, right: PartitionTag) -> Bool {
        (left.first, left.second) < (right.first, right.second)
    }
}
