/// Where things lie in the page, in bytes. All numbers are little-endian.
enum RevisionLayout {
    static let pageSize = 4096
    /// Says what the page is.
    static let magic: [UInt8] = Array("STCPAGE1".utf8)
    /// 4 bytes after the magic. A page of another version is not touched.
    static let versionOffset = 8
    static let version: UInt32 = 1
    /// The word that changes with each commit, in a cache line of its own.
    static let wordOffset = 64
    /// The newest transaction that the word was changed for, as far as anybody said.
    static let toldOffset = 72
    /// Two notes on the synced length, written in turn, so that a writer killed while it writes one spoils only that.
    static let noteOffsets = [128, 192]
    /// The byte that is written so that watchers of the file wake up.
    static let wakeOffset = 256
}
