// SPDX-License-Identifier: Apache-2.0

/// The byte offsets in the page. All numbers are little-endian.
enum RevisionLayout {
    static let pageSize = 4096
    /// The bytes that identify a page.
    static let magic: [UInt8] = Array("STCPAGE1".utf8)
    /// The offset of the version: the four bytes that follow the magic.
    static let versionOffset = 8
    static let version: UInt32 = 2
    /// The version to replace, because programs that know only this version store to the page through its mapping.
    /// Pages of other versions are left alone.
    static let replacedVersion: UInt32 = 1
    /// The offset of the word that changes with each commit. The words written together with it follow.
    static let wordOffset = 64
    /// The offset of the newest announced transaction, as far as writers recorded it.
    static let announcedOffset = 72
    /// The offset of the last writer's note: seven words.
    static let noteOffset = 80
}
