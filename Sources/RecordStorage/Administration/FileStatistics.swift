// SPDX-License-Identifier: Apache-2.0

/// Statistics of a store's file, to display.
package struct FileStatistics: Hashable, Sendable {
    /// The length of the file without the preallocated space after its last transaction.
    package var byteCount: UInt64
    /// The allocated size on the disk, which includes preallocated space.
    package var allocatedByteCount: UInt64
    /// The number of bytes of replaced and removed records, which compaction drops.
    package var deadByteCount: UInt64
    /// Transactions after the snapshot.
    package var frameCount: Int
    package var partitionCount: Int
    package var recordCount: Int
    package var epoch: UInt32
    /// The number of key slots; 0 if the store keeps none.
    package var keySlotCount: Int
    /// The newest transaction.
    package var sequence: UInt64
    /// The newest transaction up to which all erased secrets are known to be overwritten.
    package var erasedThrough: UInt64
    /// Whether the shared page works, so that other processes see a commit at their next lookup.
    package var isPageShared: Bool
    /// The number of bytes that an unacknowledged write left after the last transaction.
    package var tornByteCount: UInt64

    package init(
        byteCount: UInt64,
        allocatedByteCount: UInt64,
        deadByteCount: UInt64,
        frameCount: Int,
        partitionCount: Int,
        recordCount: Int,
        epoch: UInt32,
        keySlotCount: Int,
        sequence: UInt64,
        erasedThrough: UInt64,
        isPageShared: Bool,
        tornByteCount: UInt64
    ) {
        self.byteCount = byteCount
        self.allocatedByteCount = allocatedByteCount
        self.deadByteCount = deadByteCount
        self.frameCount = frameCount
        self.partitionCount = partitionCount
        self.recordCount = recordCount
        self.epoch = epoch
        self.keySlotCount = keySlotCount
        self.sequence = sequence
        self.erasedThrough = erasedThrough
        self.isPageShared = isPageShared
        self.tornByteCount = tornByteCount
    }
}
