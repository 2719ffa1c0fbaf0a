// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// What an import did. Contains only counts, never content.
public struct ImportReport: Hashable, Sendable {
    /// The results for each kind of entry. Kinds without an entry are omitted.
    public package(set) var countsByKind: [CachedEntryKind: ImportCounts] = [:]
    /// Whether the document has a section of a token cache, even an empty one. If not, it is no cache.
    public package(set) var hasSections = false
    /// The number of entries skipped because they cannot be kept.
    public package(set) var badCount = 0
    /// The number of the group's records that the import could not read and did not rewrite: entries, and sign-in
    /// states, whose clients then count as signed out. `verify` gives details, `repair` removes them.
    public package(set) var damagedCount = 0
    /// The number of damaged entries of the group that the document restored. They also count as replaced, or as signed
    /// out.
    public package(set) var healedCount = 0
    /// The number of bytes read.
    public package(set) var byteCount: UInt64 = 0

    /// The total of all kinds.
    public var counts: ImportCounts {
        countsByKind.values.reduce(into: ImportCounts()) { $0 += $1 }
    }

    /// The number of entries that are those of a token cache. Others are kept and exported again, but no lookup uses
    /// them.
    public var entryCount: Int { counts.total - (countsByKind[.other]?.total ?? 0) }

    /// Whether anything was written.
    public var hasChanges: Bool { counts.new + counts.replaced > 0 }

    /// Creates an empty report, to which ``add(_:)`` adds others.
    public init() {}

    /// Adds the results of importing another document.
    public mutating func add(_ other: ImportReport) {
        for (kind, counts) in other.countsByKind { countsByKind[kind, default: ImportCounts()] += counts }
        hasSections = hasSections || other.hasSections
        badCount += other.badCount
        damagedCount += other.damagedCount
        healedCount += other.healedCount
        byteCount += other.byteCount
    }
}

/// The results for the entries of one kind.
public struct ImportCounts: Hashable, Sendable {
    /// Entries that did not exist before.
    public package(set) var new = 0
    /// Entries that replaced an older one.
    public package(set) var replaced = 0
    /// Entries that already existed, identically.
    public package(set) var unchanged = 0
    /// Entries omitted because the existing one is newer, or because it is unknown which is newer.
    public package(set) var older = 0
    /// Entries omitted because their client signed out of the account in this group.
    public package(set) var signedOut = 0

    /// The sum.
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

/// An entry that could not be kept: its location and the rule that it violates. Never its content.
public struct ImportProblem: Hashable, Sendable, CustomStringConvertible {
    /// The offset from the start of the document at which the problem was detected.
    public let byteOffset: UInt64
    /// The line, counted from one, if it is known.
    public let line: Int?
    /// The rule, as a sentence fragment.
    public let rule: String

    /// Creates a problem, as the library does: for tests of what displays it.
    public init(byteOffset: UInt64, line: Int? = nil, rule: String) {
        self.byteOffset = byteOffset
        self.line = line
        self.rule = rule
    }

    /// The location and the rule.
    public var description: String {
        if let line { "line \(line), byte \(byteOffset): \(rule)" } else { "byte \(byteOffset): \(rule)" }
    }
}
