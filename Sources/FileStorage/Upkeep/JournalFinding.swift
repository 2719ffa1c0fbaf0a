package import RecordStorage

/// Something in a journal that is not as it was written. Names places and tags, never content.
package struct JournalFinding: Hashable, Sendable {
    /// What is concerned.
    package enum Part: String, Hashable, Sendable, CaseIterable {
        /// The header: the group does not open.
        case header
        /// The copy of the header, which serves repair only.
        case headerCopy
        /// The index of the snapshot: the group does not open.
        case index
        /// A partition of the snapshot: none of its records can be read.
        case partition
        /// A transaction behind the snapshot of which something is lost, or all: the group does not open.
        case transaction
        /// A transaction behind the snapshot that does not verify, and of which nothing is lost but what else is found.
        case damagedTransaction
        /// More than any writer leaves behind the last transaction, and no transaction: the group does not open.
        case excess
        /// The facts of one record.
        case facts
        /// The secret of one record.
        case secret
        /// The facts of a record of which nothing tells any more where its secret lies.
        case unplacedSecret
        /// The secret of a record is overwritten with zeros, and no transaction says that the record was removed.
        case erasedSecret
        /// Bytes of a write that never was acknowledged. No damage: the next writer sets them aside, and so does a repair of
        /// what else is damaged.
        case tornTail
    }

    package let part: Part
    /// Where it starts in the file.
    package let offset: UInt64
    package let byteCount: UInt64
    /// The partition concerned, where it is known.
    package let partition: PartitionTag?
    /// The record concerned, where it is one.
    package let record: RecordTag?

    init(
        _ part: Part,
        at offset: UInt64,
        count byteCount: UInt64,
        partition: PartitionTag? = nil,
        record: RecordTag? = nil
    ) {
        self.part = part
        self.offset = offset
        self.byteCount = byteCount
        self.partition = partition
        self.record = record
    }

    /// Whether something is lost or cannot be trusted.
    package var isDamage: Bool { part != .tornTail }
}

extension JournalFinding: CustomStringConvertible {
    /// One sentence for people.
    package var description: String {
        let what =
            switch part {
            case .header: "the header does not verify; the group does not open"
            case .headerCopy: "the copy of the header does not verify"
            case .index: "the index does not verify; the group does not open"
            case .partition: "a partition does not verify; its records cannot be read"
            case .transaction: "a transaction does not verify or is missing; the group does not open"
            case .damagedTransaction: "a transaction does not verify; what it wrote can still be read"
            case .excess: "more stands behind the last transaction than any write leaves; the group does not open"
            case .facts: "the facts of a record do not verify"
            case .secret: "the secret of a record does not verify"
            case .unplacedSecret: "nothing that verifies tells where the secret of this record lies"
            case .erasedSecret: "the secret of a record was erased, and the record is still there"
            case .tornTail: "bytes of a write that never was acknowledged; the next save or repair sets them aside"
            }
        return "byte \(offset), \(byteCount) bytes: \(what)"
    }
}
