internal import ByteOperations
package import RecordStorage

/// Identifies an account without revealing anything about it: its partition's tag in hexadecimal digits.
package struct AccountHandle: Hashable, Sendable {
    package let tag: PartitionTag

    package init(_ tag: PartitionTag) {
        self.tag = tag
    }

    /// The first eight digits, usually enough to distinguish accounts.
    package var short: String { Hexadecimal.text(littleEndian: tag.first, digitCount: 8) }
}

extension AccountHandle: CustomStringConvertible {
    /// All 32 digits.
    package var description: String {
        Hexadecimal.text(littleEndian: tag.first) + Hexadecimal.text(littleEndian: tag.second)
    }
}
