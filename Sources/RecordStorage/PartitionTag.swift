// SPDX-License-Identifier: Apache-2.0

/// Identifies the records that are read together, usually those of one account: a 128-bit keyed hash.
///
/// Public for the reason given at ``RevisionWord``, although apps never see this module: otherwise tables of tags would
/// make a call for every hash and comparison.
@frozen public struct PartitionTag: Hashable, Sendable {
    /// The first eight bytes, read as a little-endian number.
    public let first: UInt64
    /// The last eight bytes, read as a little-endian number.
    public let second: UInt64

    /// Creates a tag from two numbers.
    @inlinable
    public init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    /// A tag is the output of a keyed hash, so its bits serve as the hash value.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
    }

    /// Whether both tags are the same.
    @inlinable
    public static func == (left: PartitionTag, right: PartitionTag) -> Bool {
        left.first == right.first && left.second == right.second
    }
}

extension PartitionTag: Comparable {
    /// Whether `left` sorts before `right`.
    @inlinable
    public static func < (left: PartitionTag, right: PartitionTag) -> Bool {
        (left.first, left.second) < (right.first, right.second)
    }
}
