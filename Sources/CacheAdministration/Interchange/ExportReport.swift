public import TokenCaching

/// What an export wrote. Counts only, never content.
public struct ExportReport: Hashable, Sendable {
    /// Entries written, kind by kind. Kinds without an entry are left out.
    public package(set) var entryCounts: [CachedEntryKind: Int] = [:]
    /// Entries left out because every client signed their account out.
    public package(set) var signedOutCount = 0
    /// Entries left out because their bytes are damaged, and sign-in states that cannot be read.
    public package(set) var damagedCount = 0
    /// Bytes written.
    public package(set) var byteCount: UInt64 = 0

    /// Entries written.
    public var entryCount: Int { entryCounts.values.reduce(0, +) }

    package init() {}
}
