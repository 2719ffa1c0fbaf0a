// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// The name of a group and of its folder.
///
/// It has one to 128 characters of `A-Z a-z 0-9 . _ -` and does not begin with a dot.
package struct GroupName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// - Throws: ``StorageError/Code/invalidName``.
    package init(_ text: String) throws(StorageError) {
        let bytes = text.utf8
        guard !bytes.isEmpty else {
            throw StorageError(.invalidName, detail: "it is empty")
        }
        guard bytes.count <= 128 else {
            throw StorageError(.invalidName, detail: "it has \(bytes.count) characters")
        }
        guard bytes.allSatisfy(Self.isAllowed) else {
            throw StorageError(.invalidName, detail: "it contains a character outside A-Z a-z 0-9 . _ -")
        }
        guard bytes.first != UInt8(ascii: ".") else {
            throw StorageError(.invalidName, detail: "it begins with a dot")
        }
        self.text = text
    }

    package var description: String { text }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension GroupName: Comparable {
    package static func < (left: GroupName, right: GroupName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
