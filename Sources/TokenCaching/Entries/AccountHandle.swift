internal import ByteOperations
package import RecordStorage

/// Names an account for people and programs without telling anything about it: its partition's tag in hexadecimal digits.
package struct AccountHandle: Hashable, Sendable {
    package let tag: PartitionTag

    package init(_ tag: PartitionTag) {
        self.tag = tag
    }

    /// The first eight digits, as a rule enough to tell accounts apart.
    package var short: String { Hexadecimal.text(littleEndian: tag.first, digitCount: 8) }
}

extension AccountHandle: CustomStringConvertible {
    /// All 32 digits.
    package var description: String {
        Hexadecimal.text(littleEndian: tag.first) + Hexadecimal.text(littleEndian: tag.second)
    }
}
