// SPDX-License-Identifier: Apache-2.0

/// The kind of a record's content. Stores keep the number without interpreting it.
///
/// Public for the reason given at ``RevisionWord``, although apps never see this module.
@frozen public struct RecordKind: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt8

    /// Creates a kind from its number.
    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Whether both kinds are the same.
    @inlinable
    public static func == (left: RecordKind, right: RecordKind) -> Bool {
        left.rawValue == right.rawValue
    }
}
