// SPDX-License-Identifier: Apache-2.0

/// A second name under which partitions can be found, such as a keyed hash of a username: 64 bits.
///
/// Two names may share a tag, so a search has to check its results.
///
/// Public, although apps never see this module, for the reason given at ``RevisionWord``: tables of tags would
/// otherwise make a call for every hash and every comparison.
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
