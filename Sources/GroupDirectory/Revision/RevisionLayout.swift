// SPDX-License-Identifier: Apache-2.0

/// The byte offsets in the page. All numbers are little-endian.
enum RevisionLayout {
    static let pageSize = 4096
    /// Identifies the page.
    static let magic: [UInt8] = Array("STCPAGE1".utf8)
    /// The four bytes after the magic.
    static let versionOffset = 8
    static let version: UInt32 = 2
    /// Programs that knew only this version stored to the page through its mapping. A page of any other version is left
    /// alone.
    static let replacedVersion: UInt32 = 1
    /// The word that changes with each commit. The words written together with it follow.
    static let wordOffset = 64
    /// The newest transaction for which the word was changed, as far as any writer recorded it.
    static let announcedOffset = 72
    /// The note of the last writer: a number, then its hash.
    static let noteOffset = 80
}

/// A note that the writer of a store leaves in the shared page for later writers: a number with its hash.
///
/// Only the store has the key of the hash. Until it has verified the hash, the number is not trusted.
package struct RevisionNote: Hashable, Sendable {
    package let number: UInt64
    package let hashFirst: UInt64
    package let hashSecond: UInt64

    package init(number: UInt64, hash: (UInt64, UInt64)) {
        self.number = number
        hashFirst = hash.0
        hashSecond = hash.1
    }
}
