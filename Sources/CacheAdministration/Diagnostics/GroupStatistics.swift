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
        /// Its absolute path.
        public let path: String
        /// Its length, in bytes, without the preallocated space after the last transaction.
        public let byteCount: UInt64
        /// The allocated size on the disk, in bytes.
        public let allocatedByteCount: UInt64
        /// Bytes of replaced and removed entries, which compaction drops.
        public let deadByteCount: UInt64
        /// Transactions since the last compaction.
        public let transactionCount: Int
        /// The number of the root key, which each change of keys increments.
        public let epoch: UInt32
        /// The number of the newest transaction.
        public let sequence: UInt64
        /// The number of key slots: of key files, passphrases and keyring items that open the group.
        public let keySlotCount: Int
    }

    /// The total number of entries.
    public var entryCount: Int { entryCounts.values.reduce(0, +) }

    init() {}
}
