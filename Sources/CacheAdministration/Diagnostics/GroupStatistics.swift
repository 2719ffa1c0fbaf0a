// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// Figures about a group, to display.
public struct GroupStatistics: Hashable, Sendable {
    /// The number of entries of each kind.
    public internal(set) var entryCounts: [CachedEntryKind: Int] = [:]
    /// Accounts with at least one entry.
    public internal(set) var accountCount = 0
    /// Internal records of the library, such as sign-outs.
    public internal(set) var internalRecordCount = 0
    /// The file, if the group is kept in one.
    public internal(set) var file: FileFigures?
    /// The number of quarantined files.
    public internal(set) var quarantinedFileCount = 0
    /// The total size of the quarantined files, in bytes.
    public internal(set) var quarantinedByteCount: UInt64 = 0
    /// The number of renewals in progress in all processes: leases that are held now. Nil if it is unknown.
    public internal(set) var heldLeaseCount: Int?
    /// Whether secrets in memory are locked, so that they are never swapped.
    public internal(set) var isMemoryLocked = false

    /// Figures about the encrypted file.
    public struct FileFigures: Hashable, Sendable {
        /// Where it is.
        public let path: String
        /// Its length, without the room behind its last transaction.
        public let byteCount: UInt64
        /// The allocated size on the disk.
        public let allocatedByteCount: UInt64
        /// Bytes of what was replaced or removed, which compaction drops.
        public let deadByteCount: UInt64
        /// Transactions since the last compaction.
        public let frameCount: Int
        /// The number of the root key.
        public let epoch: UInt32
        /// The newest transaction.
        public let sequence: UInt64
        /// Bytes of the opened index in memory.
        public let indexMemoryByteCount: Int
        /// Whether other processes notice a change at their next lookup.
        public let isPageShared: Bool
        /// How many things open the group.
        public let keySlotCount: Int
    }

    /// The total number of entries.
    public var entryCount: Int { entryCounts.values.reduce(0, +) }

    init() {}
}
