// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The options of an export.
public struct ExportOptions: Hashable, Sendable {
    /// Whether to include accounts that every client signed out of, with their remaining entries.
    public var includesSignedOutAccounts: Bool

    /// Whether to write one member per line, for human readers; otherwise the document contains no white space.
    public var isIndented: Bool

    /// Creates options; by default for a document that other libraries load.
    public init(includesSignedOutAccounts: Bool = false, isIndented: Bool = false) {
        self.includesSignedOutAccounts = includesSignedOutAccounts
        self.isIndented = isIndented
    }
}

/// The destination of an exported document.
@nonexhaustive
public enum ExportTarget {
    /// A file, readable only by this user. It appears complete or not at all, and replaces an existing file.
    case path(String)
    /// An open descriptor, written from its current position. It stays open. The export fails if the reader at the
    /// other end closes it.
    case descriptor(Int32)
    /// A closure that receives the document piece by piece. The pieces contain tokens; each is valid only during the
    /// call.
    case sink((RawSpan) throws(TokenCacheError) -> Void)
}

/// What an export wrote. Contains only counts, never content.
public struct ExportReport: Hashable, Sendable {
    /// The number of entries of each kind that were written. Kinds without an entry are omitted.
    public package(set) var entryCounts: [CachedEntryKind: Int] = [:]
    /// The number of entries omitted because every client signed out of their account.
    public package(set) var signedOutCount = 0
    /// The number of damaged entries, which are omitted, and of unreadable sign-in states.
    public package(set) var damagedCount = 0
    /// The number of bytes written.
    public package(set) var byteCount: UInt64 = 0

    /// The total number of entries written.
    public var entryCount: Int { entryCounts.values.reduce(0, +) }

    package init() {}
}
