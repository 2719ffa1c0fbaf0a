/// Figures of the file of a store, for people.
package struct FileStatistics: Hashable, Sendable {
    /// Length of the file in bytes, without the room behind its last transaction.
    package var byteCount: UInt64
    /// What it takes on the disk: less where erased secrets were given back, more for the room behind its end.
    package var allocatedByteCount: UInt64
    /// Bytes of records that were replaced or removed; compaction drops them.
    package var deadByteCount: UInt64
    /// Bytes of the snapshot and its index.
    package var snapshotByteCount: UInt64
    /// Bytes of the opened index in memory.
    package var indexMemoryByteCount: Int
    /// Transactions behind the snapshot.
    package var frameCount: Int
    package var partitionCount: Int
    package var recordCount: Int
    package var epoch: UInt32
    /// How many things open it; 0 where the store keeps no key slots.
    package var keySlotCount: Int
    /// The newest transaction.
    package var sequence: UInt64
    /// The transaction up to which erased secrets are known to be overwritten.
    package var erasedThrough: UInt64
    /// Whether the shared page works: other processes see a commit at their next lookup.
    package var isPageShared: Bool
    /// Bytes behind the last transaction, left by a write that never was acknowledged.
    package var tornByteCount: UInt64

    package init(
        byteCount: UInt64,
        allocatedByteCount: UInt64,
        deadByteCount: UInt64,
        snapshotByteCount: UInt64,
        indexMemoryByteCount: Int,
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
        self.snapshotByteCount = snapshotByteCount
        self.indexMemoryByteCount = indexMemoryByteCount
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
