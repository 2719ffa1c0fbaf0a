/// Figures of a journal, for people.
package struct FileStatistics: Hashable, Sendable {
    /// Length of the file in bytes, without the room behind its last transaction.
    package internal(set) var byteCount: UInt64
    /// What it takes on the disk: less where erased secrets were given back, more for the room behind its end.
    package internal(set) var allocatedByteCount: UInt64
    /// Bytes of records that were replaced or removed; compaction drops them.
    package internal(set) var deadByteCount: UInt64
    /// Bytes of the snapshot and its index.
    package internal(set) var snapshotByteCount: UInt64
    /// Bytes of the opened index in memory.
    package internal(set) var indexMemoryByteCount: Int
    /// Transactions behind the snapshot.
    package internal(set) var frameCount: Int
    package internal(set) var partitionCount: Int
    package internal(set) var recordCount: Int
    package internal(set) var epoch: UInt32
    /// The newest transaction.
    package internal(set) var sequence: UInt64
    /// The transaction up to which erased secrets are known to be overwritten.
    package internal(set) var erasedThrough: UInt64
    /// Whether the shared page works: other processes see a commit at their next lookup.
    package internal(set) var isPageShared: Bool
    /// Bytes behind the last transaction, left by a write that never was acknowledged.
    package internal(set) var tornByteCount: UInt64

    /// Bytes that are neither dead nor torn.
    package var liveByteCount: UInt64 { byteCount - min(byteCount, deadByteCount + tornByteCount) }
}
