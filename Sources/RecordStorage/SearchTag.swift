/// A second name under which partitions can be found, such as a keyed hash of a username: 64 bits.
///
/// Two names may share a tag: who searches checks what it finds.
///
/// Public, although no client sees this module, for the reason that ``RevisionWord`` gives: tables of tags would call it for
/// every hash and every comparison.
@frozen public struct SearchTag: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// The tag of this number.
    @inlinable
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// A tag is the output of a keyed hash: its bits are as good as any hash of them.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue)
    }

    /// Whether both are one tag.
    @inlinable
    public static func == (left: SearchTag, right: SearchTag) -> Bool {
        left.rawValue == right.rawValue
    }
}
