// SPDX-License-Identifier: Apache-2.0

/// The kind of content of a record. Stores keep the number without interpreting it.
///
/// Public, although apps never see this module, for the reason given at ``RevisionWord``.
@frozen public struct RecordKind: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt8

    /// The kind of this number.
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
