internal import RecordStorage

/// Turns the operations of a transaction into one frame.
struct FrameBuilder {
    /// What the transaction replaces and removes, and what it is to overwrite.
    struct Plan {
        var operations: [FrameOperation] = []
        var facts: [[UInt8]] = []
        var secrets: [[UInt8]] = []
        /// Bytes that die with this transaction.
        var dyingByteCount: UInt64 = 0
        var removesAll = false
        var hasPuts = false
    }

    let header: JournalHeader
    let keys: JournalKeys

    /// A frame that is ready to be appended.
    struct Built {
        var bytes: [UInt8]
        var frame: JournalFrame
    }

    /// The frame of a transaction that follows on `position`.
    func frame(_ plan: Plan, after position: JournalState.Position) throws(StorageError) -> Built {
        let head = FrameHead(
            punchedThrough: position.pendingErasures.isEmpty ? position.cursor.sequence : position.punchedThrough,
            deadByteCount: min(position.deadByteCount + plan.dyingByteCount, position.cursor.end),
            operations: plan.operations
        )
        return try frame(
            head,
            sequence: position.cursor.sequence + 1,
            facts: Self.joined(plan.facts).raw,
            secrets: Self.joined(plan.secrets).raw,
            at: position.cursor.end
        )
    }

    private static func joined(_ boxes: [[UInt8]]) -> [UInt8] {
        if boxes.count == 1 { return boxes[0] }
        var all: [UInt8] = []
        all.reserveCapacity(boxes.reduce(0) { $0 + $1.count })
        for box in boxes { all += box }
        return all
    }

    /// A frame that is to stand at `offset`, with its boxes side by side.
    func frame(
        _ head: FrameHead,
        sequence: UInt64,
        facts: RawSpan,
        secrets: RawSpan,
        at offset: UInt64
    ) throws(StorageError) -> Built {
        let plaintext = head.encoded()
        let headByteCount = SealedChunks.sealedByteCount(plaintextByteCount: plaintext.count)
        let secretsOffset = FrameLead.byteCount + headByteCount + facts.byteCount
        let byteCount = (secretsOffset + secrets.byteCount).roundedUp(to: 8)
        let lead = FrameLead(
            headByteCount: UInt32(headByteCount),
            frameByteCount: UInt64(byteCount),
            sequence: sequence,
            secretsOffset: UInt64(secretsOffset)
        )
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        bytes += try lead.encoded(keys: keys, journal: header.journal)
        bytes += try SealedChunks(head: lead, of: header).seal(plaintext.raw, key: keys.frame)
        bytes.append(raw: facts)
        bytes.append(raw: secrets)
        bytes.append(zeros: byteCount - bytes.count)
        guard let frame = JournalFrame(lead: lead, head: head, offset: offset) else {
            preconditionFailure("a frame that was just built fits together")
        }
        return Built(bytes: bytes, frame: frame)
    }
}
