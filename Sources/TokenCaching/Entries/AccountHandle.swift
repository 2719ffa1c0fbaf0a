internal import ByteOperations
package import RecordStorage

/// Identifies an account without revealing anything about it: 32 hexadecimal digits.
///
/// An account keeps its handle as long as its group lives; another group has another one for it.
public struct AccountHandle: Hashable, Sendable {
    package let tag: PartitionTag

    package init(_ tag: PartitionTag) {
        self.tag = tag
    }

    /// The first eight digits, usually enough to distinguish accounts.
    public var short: String { Hexadecimal.text(littleEndian: tag.first, digitCount: 8) }
}

extension AccountHandle: CustomStringConvertible {
    /// All 32 digits.
    public var description: String {
        Hexadecimal.text(littleEndian: tag.first) + Hexadecimal.text(littleEndian: tag.second)
    }
}
