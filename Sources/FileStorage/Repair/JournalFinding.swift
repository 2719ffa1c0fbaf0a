// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// A part of a journal that does not verify or was never acknowledged. Contains offsets and tags, never content.
package struct JournalFinding: Hashable, Sendable {
    /// The affected part.
    package enum Part: String, Hashable, Sendable, CaseIterable {
        /// The header: the group does not open.
        case header
        /// The copy of the header, which only repair uses.
        case headerCopy
        /// The index of the snapshot: the group does not open.
        case index
        /// A partition of the snapshot: none of its records can be read.
        case partition
        /// A transaction after the snapshot that is lost: the group does not open.
        case transaction
        /// One of the two copies of what describes a transaction. The other one is used.
        case frameEdge
        /// Bytes that no writer uses.
        case gap
        /// A version of a record that was replaced. Not damage: nothing uses it any more.
        case replacedVersion
        /// More bytes after the last transaction than any writer leaves, none of them a transaction: the group does not
        /// open.
        case excess
        /// The facts of one record.
        case facts
        /// The secret of one record.
        case secret
        /// The secret of a record is overwritten with zeros, although no transaction removed the record.
        case erasedSecret
        /// Bytes of an unacknowledged write. Not damage: the next writer quarantines them, as does a repair of other
        /// damage.
        case tornTail
        /// Bytes of a complete write that does not verify, and of which nothing shows that it was acknowledged. They
        /// do not count.
        case unproven
    }

    package let part: Part
    /// The file offset of the part.
    package let offset: UInt64
    package let byteCount: UInt64
    /// The affected partition, if known.
    package let partition: PartitionTag?
    /// The affected record, if it is a single one.
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

    /// The finding for a write that does not count.
    init(_ rest: TailReader.Rest, at offset: UInt64, count: UInt64) {
        var part = Part.tornTail
        if case .unproven = rest { part = .unproven }
        self.init(part, at: offset, count: count)
    }

    /// Whether data is lost or cannot be trusted.
    package var isDamage: Bool { part != .tornTail && part != .replacedVersion }
}

extension JournalFinding: CustomStringConvertible {
    /// One sentence to display.
    package var description: String {
        let what =
            switch part {
            case .header: "the header does not verify; the group does not open"
            case .headerCopy: "the copy of the header does not verify"
            case .index: "the index does not verify; the group does not open"
            case .partition: "a partition does not verify; its records cannot be read"
            case .transaction: "a transaction does not verify or is missing; the group does not open"
            case .frameEdge: "one of the two descriptions of a transaction does not verify; nothing is lost"
            case .gap: "bytes that are never used are not zero; nothing is lost"
            case .replacedVersion: "an older version of a record does not verify; nothing is lost"
            case .excess:
                "the data after the last transaction is longer than any interrupted write; the group does not open"
            case .facts: "the facts of a record do not verify"
            case .secret: "the secret of a record does not verify"
            case .erasedSecret: "the secret of a record was erased, but the record still exists"
            case .tornTail:
                "part of a write of which nothing shows that it was acknowledged; it does not count, and the next save or "
                    + "repair moves it to the quarantine"
            case .unproven:
                "a write does not verify, and nothing shows that it was acknowledged; it does not count, and the next "
                    + "save or repair moves it to the quarantine"
            }
        return "byte \(offset), \(byteCount) bytes: \(what)"
    }
}
