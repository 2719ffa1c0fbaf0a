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

/// What became of the entries of one kind.
public struct ImportCounts: Hashable, Sendable {
    /// Were not there before.
    public package(set) var new = 0
    /// Took the place of an older one.
    public package(set) var replaced = 0
    /// Were there already, exactly so.
    public package(set) var unchanged = 0
    /// Left out, because what is there is newer or nothing tells which one is.
    public package(set) var older = 0
    /// Left out, because this client signed the account out here.
    public package(set) var signedOut = 0

    /// All of them.
    public var total: Int { new + replaced + unchanged + older + signedOut }

    package init() {}

    static func += (left: inout ImportCounts, right: ImportCounts) {
        left.new += right.new
        left.replaced += right.replaced
        left.unchanged += right.unchanged
        left.older += right.older
        left.signedOut += right.signedOut
    }
}

/// An entry that could not be kept: where it stands and what rule it broke. Never its content.
public struct ImportProblem: Hashable, Sendable, CustomStringConvertible {
    /// Where it was noticed, in bytes from the start of the document.
    public let byteOffset: UInt64
    /// The line, counted from one, where that is known.
    public let line: Int?
    /// The rule, as a sentence fragment.
    public let rule: String

    package init(byteOffset: UInt64, line: Int?, rule: String) {
        self.byteOffset = byteOffset
        self.line = line
        self.rule = rule
    }

    /// Position and rule.
    public var description: String {
        if let line { "line \(line), byte \(byteOffset): \(rule)" } else { "byte \(byteOffset): \(rule)" }
    }
}
