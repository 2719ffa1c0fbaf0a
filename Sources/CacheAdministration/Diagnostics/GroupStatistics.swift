package import TokenCaching

/// Figures about a group, to display.
package struct GroupStatistics: Hashable, Sendable {
    /// The number of entries of each kind.
    package internal(set) var entryCounts: [CachedEntryKind: Int] = [:]
    /// Accounts with at least one entry.
    package internal(set) var accountCount = 0
    /// Internal records of the library, such as sign-outs.
    package internal(set) var ownRecordCount = 0
    /// The file, if the group is kept in one.
    package internal(set) var file: FileFigures?
    /// Quarantined files, and their bytes.
    package internal(set) var quarantinedFileCount = 0
    package internal(set) var quarantinedByteCount: UInt64 = 0
    /// The number of renewals in progress in all processes: leases that are held now. Nil if it is unknown.
    package internal(set) var heldLeaseCount: Int?
    /// Whether secrets in memory are locked, so that they are never swapped.
    package internal(set) var isMemoryLocked = false

    /// Figures about the encrypted file.
    package struct FileFigures: Hashable, Sendable {
        package let path: String
        package let byteCount: UInt64
        /// The allocated size on the disk.
        package let allocatedByteCount: UInt64
        /// Bytes of what was replaced or removed, which compaction drops.
        package let deadByteCount: UInt64
        /// Transactions since the last compaction.
        package let frameCount: Int
        /// The number of the root key.
        package let epoch: UInt32
        /// The newest transaction.
        package let sequence: UInt64
        /// Bytes of the opened index in memory.
        package let indexMemoryByteCount: Int
        /// Whether other processes notice a change at their next lookup.
        package let isPageShared: Bool
        package let keySlotCount: Int
    }

    /// The total number of entries.
    package var entryCount: Int { entryCounts.values.reduce(0, +) }

    init() {}
}
