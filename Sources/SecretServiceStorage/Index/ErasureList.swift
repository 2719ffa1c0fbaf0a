// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The erased secrets, so that a process that read one earlier no longer returns it. Only the newest erasures are
/// listed; any secret older than those may have been erased.
struct ErasureList: Hashable, Sendable {
    struct Erasure: Hashable, Sendable {
        let partition: PartitionTag
        let record: RecordTag
        /// The transaction that removed the record.
        let sequence: UInt64
    }

    /// The newest transaction that erased everything before it; 0 if none did.
    var emptiedAt: UInt64 = 0
    /// The newest transaction whose erasures are no longer listed, like those of all earlier ones.
    private(set) var forgottenThrough: UInt64 = 0
    private(set) var listed: [Erasure] = []

    static let capacity = 256

    init() {}

    /// The initial state without an earlier list, when erasures up to this transaction are unknown.
    init(forgottenThrough: UInt64) {
        self.forgottenThrough = forgottenThrough
    }

    init(emptiedAt: UInt64, forgottenThrough: UInt64, listed: [Erasure]) {
        self.emptiedAt = emptiedAt
        self.forgottenThrough = forgottenThrough
        self.listed = listed
    }

    mutating func note(_ erasures: [Erasure]) {
        listed += erasures
        guard listed.count > Self.capacity else { return }
        let dropped = listed.prefix(listed.count - Self.capacity / 2)
        forgottenThrough = max(forgottenThrough, dropped.last?.sequence ?? 0)
        listed.removeFirst(dropped.count)
        // Forget all erasures of a transaction together.
        listed.removeAll { $0.sequence <= forgottenThrough }
    }

    /// Records that transactions up to this one may have erased secrets that are not listed.
    mutating func forget(through sequence: UInt64) {
        forgottenThrough = max(forgottenThrough, sequence)
        listed.removeAll { $0.sequence <= forgottenThrough }
    }

    /// Whether a later transaction erased, or may have erased, secrets of a partition written by transaction
    /// `sequence`.
    func mayHaveErased(_ partition: PartitionTag, writtenAt sequence: UInt64) -> Bool {
        if emptiedAt > sequence || forgottenThrough > sequence { return true }
        return listed.contains { $0.partition == partition && $0.sequence > sequence }
    }

    /// Whether the secret of a record was, or may have been, erased since it was read. `readAt` is the newest
    /// transaction after which the record is known to have existed.
    func mayHaveErased(_ record: StoredRecord, in partition: PartitionTag, readAt: UInt64) -> Bool {
        if emptiedAt > record.sequence || forgottenThrough > readAt { return true }
        return listed.contains {
            $0.sequence > record.sequence && $0.record == record.tag && $0.partition == partition
        }
    }
}
