// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The secrets that were erased, so that none is handed out that was read before. Only the newest are listed
/// individually; any older one may have been erased.
struct ErasureList: Hashable, Sendable {
    struct Erasure: Hashable, Sendable {
        let partition: PartitionTag
        let record: RecordTag
        /// The transaction that removed it.
        let sequence: UInt64
    }

    /// The transaction that erased everything written before it.
    var emptiedAt: UInt64 = 0
    /// Erasures by this transaction and earlier ones are not listed.
    private(set) var forgottenThrough: UInt64 = 0
    private(set) var listed: [Erasure] = []

    static let capacity = 256

    init() {}

    /// The knowledge of a process without a list: nothing up to this transaction.
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
        // A transaction is forgotten as a whole.
        listed.removeAll { $0.sequence <= forgottenThrough }
    }

    /// Records that transactions up to this one may have erased secrets that are not listed.
    mutating func forget(through sequence: UInt64) {
        forgottenThrough = max(forgottenThrough, sequence)
        listed.removeAll { $0.sequence <= forgottenThrough }
    }

    /// Whether a partition as written by a transaction was, or may have been, erased since.
    func mayHold(_ partition: PartitionTag, writtenAt sequence: UInt64) -> Bool {
        if emptiedAt > sequence || forgottenThrough > sequence { return true }
        return listed.contains { $0.partition == partition && $0.sequence > sequence }
    }

    /// Whether the secret of a record was, or may have been, erased since it was read. `readAt` is the newest
    /// transaction after which the record is known to have existed.
    func mayHold(_ record: StoredRecord, in partition: PartitionTag, readAt: UInt64) -> Bool {
        if emptiedAt > record.sequence || forgottenThrough > readAt { return true }
        return listed.contains {
            $0.sequence > record.sequence && $0.record == record.tag && $0.partition == partition
        }
    }
}
