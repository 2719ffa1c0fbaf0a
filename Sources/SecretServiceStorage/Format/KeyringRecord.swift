// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// One record in a partition item, with its sealed boxes.
struct KeyringRecord: Sendable {
    let tag: RecordTag
    let kind: RecordKind
    /// The sequence of the transaction that wrote it.
    let sequence: UInt64
    let facts: [UInt8]
    let secret: [UInt8]
    let searchTags: [SearchTag]
}

/// The format version of all items and of the list of items.
enum KeyringFormat {
    static let major: UInt16 = 1
    static let minor: UInt16 = 0
}
