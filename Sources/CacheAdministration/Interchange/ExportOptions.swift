// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The options of an export.
public struct ExportOptions: Hashable, Sendable {
    /// Whether to include accounts that every client signed out of, with their remaining entries.
    public var includesSignedOutAccounts: Bool

    /// Whether to write one member per line, for human readers; otherwise no white space at all.
    public var isIndented: Bool

    /// Options for a document that other libraries load.
    public init(includesSignedOutAccounts: Bool = false, isIndented: Bool = false) {
        self.includesSignedOutAccounts = includesSignedOutAccounts
        self.isIndented = isIndented
    }
}

/// The destination of an exported document.
@nonexhaustive
public enum ExportTarget {
    /// A file. It appears complete or not at all, readable only by this user, replacing an existing one.
    case path(String)
    /// An open descriptor, written from its current position. It stays open. If a reader at the other end closes it,
    /// the export fails.
    case descriptor(Int32)
    /// A closure that receives the document piece by piece. The pieces contain tokens; each is valid only during the
    /// call.
    case sink((RawSpan) throws(TokenCacheError) -> Void)
}

/// What an export wrote. Contains only counts, never content.
public struct ExportReport: Hashable, Sendable {
    /// The number of entries of each kind that were written. Kinds without an entry are omitted.
    public package(set) var entryCounts: [CachedEntryKind: Int] = [:]
    /// Entries omitted because every client signed out of their account.
    public package(set) var signedOutCount = 0
    /// Entries omitted because they are damaged, and unreadable sign-in states.
    public package(set) var damagedCount = 0
    /// Bytes written.
    public package(set) var byteCount: UInt64 = 0

    /// Entries written.
    public var entryCount: Int { entryCounts.values.reduce(0, +) }

    package init() {}
}
