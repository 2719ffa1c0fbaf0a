package import TokenCaching

/// Figures of a group, for people.
package struct GroupStatistics: Hashable, Sendable {
    /// Entries, kind by kind.
    package internal(set) var entryCounts: [CachedEntryKind: Int] = [:]
    /// Accounts with at least one entry.
    package internal(set) var accountCount = 0
    /// Notes that the library keeps for itself, such as who signed out.
    package internal(set) var ownRecordCount = 0
    /// The file, where the group is in one.
    package internal(set) var file: FileFigures?
    /// Files that were set aside, and their bytes.
    package internal(set) var quarantinedFileCount = 0
    package internal(set) var quarantinedByteCount: UInt64 = 0
    /// How many renewals are under way, in whichever processes: leases that are held now. Nil where nobody can tell.
    package internal(set) var heldLeaseCount: Int?
    /// Whether secrets in memory are kept out of swap.
    package internal(set) var isMemoryLocked = false

    /// Figures of the encrypted file.
    package struct FileFigures: Hashable, Sendable {
        package let path: String
        package let byteCount: UInt64
        /// What it takes on the disk.
        package let allocatedByteCount: UInt64
        /// Bytes of what was replaced or removed; compaction drops them.
        package let deadByteCount: UInt64
        /// Transactions since the last compaction.
        package let frameCount: Int
        /// The number of the root key.
        package let epoch: UInt32
        /// The newest transaction.
        package let sequence: UInt64
        /// Bytes of the opened index in memory.
        package let indexMemoryByteCount: Int
        /// Whether other processes see a change at their next lookup.
        package let isPageShared: Bool
        package let keySlotCount: Int
    }

    /// Entries, all kinds together.
    package var entryCount: Int { entryCounts.values.reduce(0, +) }

    init() {}
}
