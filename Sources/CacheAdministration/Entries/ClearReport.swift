package import TokenCaching

/// What a clearing removed, or would remove.
package struct ClearReport: Hashable, Sendable {
    /// Entries removed, kind by kind.
    package internal(set) var entryCounts: [CachedEntryKind: Int] = [:]
    /// Accounts that something was removed of.
    package internal(set) var accountCount = 0
    /// Entries that cannot be read, so that it cannot be told whether they are meant. They stay.
    package internal(set) var unreachableCount = 0

    /// Entries removed, all kinds together.
    package var entryCount: Int { entryCounts.values.reduce(0, +) }

    init() {}
}
