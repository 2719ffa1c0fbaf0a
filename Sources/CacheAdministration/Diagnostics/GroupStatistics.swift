// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// Figures about a group, to display.
public struct GroupStatistics: Hashable, Sendable {
    /// The number of entries of each kind.
    public internal(set) var entryCounts: [CachedEntryKind: Int] = [:]
    /// The number of accounts with at least one entry.
    public internal(set) var accountCount = 0
    /// The number of internal records, such as those of sign-outs.
    public internal(set) var internalRecordCount = 0
    /// Figures about the encrypted file; nil if the group is not kept in one.
    public internal(set) var file: FileFigures?
    /// The number of quarantined files.
    public internal(set) var quarantinedFileCount = 0
    /// The total size of the quarantined files, in bytes.
    public internal(set) var quarantinedByteCount: UInt64 = 0
    /// The number of renewals in progress in all processes, counted as the leases held now; nil if it is unknown.
    public internal(set) var heldLeaseCount: Int?
    /// Whether secrets in memory are locked, so that they are never swapped out.
    public internal(set) var isMemoryLocked = false

    /// Figures about the encrypted file.
    public struct FileFigures: Hashable, Sendable {
        /// The path of the file.
        public let path: String
        /// The length of the file without the preallocation after its last transaction.
        public let byteCount: UInt64
        /// The space allocated on the disk, in bytes.
        public let allocatedByteCount: UInt64
        /// The bytes of replaced and removed records, which compaction drops.
        public let deadByteCount: UInt64
        /// The number of transactions since the last compaction.
        public let frameCount: Int
        /// The number of the root key.
        public let epoch: UInt32
        /// The sequence of the newest transaction.
        public let sequence: UInt64
        /// The size of the index in memory, in bytes.
        public let indexMemoryByteCount: Int
        /// Whether other processes notice a change at their next lookup.
        public let isPageShared: Bool
        /// The number of key slots that open the group.
        public let keySlotCount: Int
    }

    /// The total number of entries.
    public var entryCount: Int { entryCounts.values.reduce(0, +) }

    init() {}
}
