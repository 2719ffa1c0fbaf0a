// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// The attributes of an item. Every item has exactly these four, because a search also matches items with more
/// attributes than requested. None identifies the user, a tenant or an application.
struct KeyringAttributes: Hashable, Sendable {
    /// The purpose of an item.
    enum Role: String, Sendable {
        /// The key of the group.
        case key
        /// The records of one partition.
        case partition
        /// The secret that opens one key slot of the encrypted file.
        case slot
        /// The progress of a group in the encrypted file: its epoch and newest sequence.
        case fileAnchor = "file-anchor"
        /// The sequence of the newest transaction that removed an item.
        case anchor
    }

    /// Sixteen bytes that identify the group, as text.
    let group: String

    static let schema = "swift-token-cache"
    /// The label of all items. It reveals no name, and is not empty and has no slash, as some services require.
    static let label = "swift-token-cache"
    static let anchorTag = "anchor"
    static let tagName = "tag"

    /// The name of the group is hashed with a fixed key, so any program that knows the name can find the items.
    init(_ name: GroupName) throws(SealingError) {
        let key = try SealingKey(SecretBytes(copying: Array("swift-token-cache.group-name.key".utf8).rawSpan))
        let words = try KeyedHash.hash128(Array(name.text.utf8).rawSpan, key: key)
        group = Hexadecimal.text(littleEndian: words.0) + Hexadecimal.text(littleEndian: words.1)
    }

    /// All four attributes of one item.
    func all(_ role: Role, tag: String) -> [(key: String, value: String)] {
        some(role) + [(Self.tagName, tag)]
    }

    /// The attributes shared by all items of one role.
    func some(_ role: Role) -> [(key: String, value: String)] { shared + [("role", role.rawValue)] }

    /// The attributes shared by all items of groups of this name.
    var shared: [(key: String, value: String)] { [("xdg:schema", Self.schema), ("group", group)] }

    static func text(_ tag: PartitionTag) -> String {
        Hexadecimal.text(littleEndian: tag.first) + Hexadecimal.text(littleEndian: tag.second)
    }

    /// The partition whose ``text(_:)`` is `text`; `nil` if the text is malformed.
    static func partition(_ text: String) -> PartitionTag? {
        let digits = Array(text.utf8)
        guard digits.count == 32 else { return nil }
        var words: [UInt64] = []
        for half in [digits[..<16], digits[16...]] {
            guard let word = UInt64(String(decoding: half, as: UTF8.self), radix: 16) else { return nil }
            words.append(word.byteSwapped)
        }
        let tag = PartitionTag(first: words[0], second: words[1])
        return Self.text(tag) == text ? tag : nil
    }
}
