public import TokenCaching

/// What an import did. Counts only, never content.
public struct ImportReport: Hashable, Sendable {
    /// What became of the entries, kind by kind. Kinds without an entry are left out.
    public package(set) var countsByKind: [CachedEntryKind: ImportCounts] = [:]
    /// Entries skipped because they cannot be kept.
    public package(set) var badCount = 0
    /// Records of the group that the import met and could not read, where it could not write them anew either: entries,
    /// and notes that a client signed out, which then counts as signed out. `verify` tells more, `repair` removes them.
    public package(set) var damagedCount = 0
    /// Damaged entries of the group that the document brought back. They count as replaced, or as signed out, too.
    public package(set) var healedCount = 0
    /// Bytes read.
    public package(set) var byteCount: UInt64 = 0

    /// What became of the entries, all kinds together.
    public var counts: ImportCounts {
        countsByKind.values.reduce(into: ImportCounts()) { $0 += $1 }
    }

    /// Whether anything was written.
    public var hasChanges: Bool { counts.new + counts.replaced > 0 }

    package init() {}

    /// Adds what the import of another document did.
    package mutating func add(_ other: ImportReport) {
        for (kind, counts) in other.countsByKind { countsByKind[kind, default: ImportCounts()] += counts }
        badCount += other.badCount
        damagedCount += other.damagedCount
        healedCount += other.healedCount
        byteCount += other.byteCount
    }
}
