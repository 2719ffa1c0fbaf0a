public import TokenCaching

/// How a group is exported.
public struct ExportOptions: Hashable, Sendable {
    /// Include accounts that every client signed out, with what is kept of them.
    public var includesSignedOutAccounts: Bool

    /// One member a line, for people; otherwise no white space at all.
    public var isIndented: Bool

    /// Options for a document that other libraries load.
    public init(includesSignedOutAccounts: Bool = false, isIndented: Bool = false) {
        self.includesSignedOutAccounts = includesSignedOutAccounts
        self.isIndented = isIndented
    }
}

/// Where an exported document goes.
public enum ExportTarget {
    /// A file. It appears complete or not at all, readable by this user only, in the place of the one that was there.
    case path(String)
    /// An open descriptor, written to from where it stands. It stays open. A reader at the other end that goes away
    /// makes the export fail.
    case descriptor(Int32)
    /// Piece by piece. The pieces hold tokens; each is valid only during the call.
    case sink((RawSpan) throws(TokenCacheError) -> Void)
}

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
