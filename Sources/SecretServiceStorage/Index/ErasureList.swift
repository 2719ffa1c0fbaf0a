internal import RecordStorage

/// Which secrets were removed for good, so that nobody hands out one that was read before. Only the newest are known one
/// by one; of older ones it is known that they may have been.
struct ErasureList: Hashable, Sendable {
    struct Erasure: Hashable, Sendable {
        let partition: PartitionTag
        let record: RecordTag
        /// The transaction that removed it.
        let sequence: UInt64
    }

    /// Everything that was written before this transaction went with it.
    var emptiedAt: UInt64 = 0
    /// What was removed by this transaction and earlier ones is not listed.
    private(set) var forgottenThrough: UInt64 = 0
    private(set) var listed: [Erasure] = []

    static let capacity = 256

    init() {}

    /// What a process knows that has no list: nothing up to this transaction.
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
        // One transaction is forgotten as a whole.
        listed.removeAll { $0.sequence <= forgottenThrough }
    }

    /// Notes that transactions up to this one may have removed what is not listed.
    mutating func forget(through sequence: UInt64) {
        forgottenThrough = max(forgottenThrough, sequence)
        listed.removeAll { $0.sequence <= forgottenThrough }
    }

    /// Whether what a transaction wrote of a partition was removed since, or may have been.
    func mayHold(_ partition: PartitionTag, writtenAt sequence: UInt64) -> Bool {
        if emptiedAt > sequence || forgottenThrough > sequence { return true }
        return listed.contains { $0.partition == partition && $0.sequence > sequence }
    }

    /// Whether the secret of a record was removed, or may have been, since it was read.
    /// `readAt` is the newest transaction of which it is known that the record was there after it.
    func mayHold(_ record: StoredRecord, in partition: PartitionTag, readAt: UInt64) -> Bool {
        if emptiedAt > record.sequence || forgottenThrough > readAt { return true }
        return listed.contains {
            $0.sequence > record.sequence && $0.record == record.tag && $0.partition == partition
        }
    }
}
