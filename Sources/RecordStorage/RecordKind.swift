/// What kind of thing a record holds. Stores carry the number and give it no meaning.
///
/// Public, although no client sees this module, for the reason that ``RevisionWord`` gives.
@frozen public struct RecordKind: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt8

    /// The kind of this number.
    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Whether both are one kind.
    @inlinable
    public static func == (left: RecordKind, right: RecordKind) -> Bool {
        left.rawValue == right.rawValue
    }
}
