// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage

/// Identifies an account to users and programs without revealing anything about it: 32 hexadecimal digits.
///
/// The handle of an account never changes within a group. In another group the same account has another handle.
public struct AccountHandle: Hashable, Sendable {
    package let tag: PartitionTag

    package init(_ tag: PartitionTag) {
        self.tag = tag
    }

    /// The first eight digits, which usually suffice to distinguish accounts.
    public var short: String { Hexadecimal.text(littleEndian: tag.first, digitCount: 8) }
}

extension AccountHandle: LosslessStringConvertible {
    /// The handle with these 32 digits, in either case; nil for any other text. The group need not have it.
    public init?(_ description: String) {
        guard let numbers = Hexadecimal.numbers(littleEndian: description) else { return nil }
        self.init(PartitionTag(first: numbers.first, second: numbers.second))
    }

    /// All 32 digits.
    public var description: String {
        Hexadecimal.text(littleEndian: tag.first) + Hexadecimal.text(littleEndian: tag.second)
    }
}
