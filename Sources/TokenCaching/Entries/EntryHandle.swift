// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage

/// Identifies an entry to users and programs without revealing anything about it: 32 hexadecimal digits.
///
/// An entry keeps its handle when a newer version replaces it. In another group the same entry has another handle.
public struct EntryHandle: Hashable, Sendable {
    package let tag: RecordTag

    package init(_ tag: RecordTag) {
        self.tag = tag
    }

    /// The first eight digits, which usually suffice to distinguish entries.
    public var short: String { Hexadecimal.text(littleEndian: tag.first, digitCount: 8) }
}

extension EntryHandle: Comparable {
    /// Orders handles by their digits.
    public static func < (left: EntryHandle, right: EntryHandle) -> Bool {
        (left.tag.first.byteSwapped, left.tag.second.byteSwapped)
            < (right.tag.first.byteSwapped, right.tag.second.byteSwapped)
    }
}

extension EntryHandle: LosslessStringConvertible {
    /// The handle with these 32 digits, in either case; nil for any other text. The group need not have it.
    public init?(_ description: String) {
        guard let numbers = Hexadecimal.numbers(littleEndian: description) else { return nil }
        self.init(RecordTag(first: numbers.first, second: numbers.second))
    }

    /// All 32 digits.
    public var description: String {
        Hexadecimal.text(littleEndian: tag.first) + Hexadecimal.text(littleEndian: tag.second)
    }
}
