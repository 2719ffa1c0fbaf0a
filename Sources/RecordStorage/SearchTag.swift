// SPDX-License-Identifier: Apache-2.0

/// A 64-bit secondary key for finding partitions, such as a keyed hash of a username.
///
/// Two names may share a tag, so a search must check its results.
///
/// Public for the reason given at ``RevisionWord``, although apps never see this module: otherwise tables of tags would
/// make a call for every hash and comparison.
@frozen public struct SearchTag: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// Creates a tag from a number.
    @inlinable
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// A tag is the output of a keyed hash, so its bits serve as the hash value.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue)
    }

    /// Whether both tags are the same.
    @inlinable
    public static func == (left: SearchTag, right: SearchTag) -> Bool {
        left.rawValue == right.rawValue
    }
}
