/// Where things lie in the page, in bytes. All numbers are little-endian.
enum RevisionLayout {
    static let pageSize = 4096
    /// Says what the page is.
    static let magic: [UInt8] = Array("STCPAGE1".utf8)
    /// 4 bytes after the magic.
    static let versionOffset = 8
    static let version: UInt32 = 2
    /// Programs that knew only this one stored to the page through its mapping. A page of any other version is left alone.
    static let replacedVersion: UInt32 = 1
    /// The word that changes with each commit. What is written with it follows.
    static let wordOffset = 64
    /// The newest transaction that the word was changed for, as far as anybody said.
    static let toldOffset = 72
    /// The note of the newest writer: a number, then the hash of it.
    static let noteOffset = 80
}

/// What the writer of a store left in the shared page for those who come after it: a number with a hash of it.
///
/// Only the store has the key of the hash. Until it has compared it, the number may be anybody's.
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
