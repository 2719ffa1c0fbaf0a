// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// Turns the operations of a transaction into one frame.
struct FrameBuilder {
    /// What the transaction replaces, removes and overwrites.
    struct Plan {
        var operations: [FrameOperation] = []
        var facts: [[UInt8]] = []
        var secrets: [[UInt8]] = []
        /// The number of bytes that become dead with this transaction.
        var dyingByteCount: UInt64 = 0
        var removesAll = false
        var hasPuts = false
        var partitionCount = 0
    }

    let header: JournalHeader
    let keys: JournalKeys

    /// A frame ready to append.
    struct Built {
        var bytes: [UInt8]
        var frame: JournalFrame

    }

    /// The frame of the transaction after `position`.
    func frame(_ plan: Plan, after position: JournalState.Position) throws(StorageError) -> Built {
        let head = FrameHead(
            erasedThrough: position.pendingErasures.isEmpty ? position.cursor.sequence : position.erasedThrough,
            deadByteCount: min(position.deadByteCount + plan.dyingByteCount, position.cursor.end),
            operations: plan.operations
        )
        var built = try begin(
            head,
            sequence: position.cursor.sequence + 1,
            factsByteCount: Self.byteCount(plan.facts),
            secretsByteCount: Self.byteCount(plan.secrets),
            at: position.cursor.end
        )
        for box in plan.facts { built.bytes += box }
        for box in plan.secrets { built.bytes += box }
        try end(&built)
        return built
    }

    private static func byteCount(_ boxes: [[UInt8]]) -> Int { boxes.reduce(0) { $0 + $1.count } }

    /// A frame for `offset`, from boxes that are already concatenated.
    func frame(
        _ head: FrameHead,
        sequence: UInt64,
        facts: RawSpan,
        secrets: RawSpan,
        at offset: UInt64
    ) throws(StorageError) -> Built {
        var built = try begin(
            head,
            sequence: sequence,
            factsByteCount: facts.byteCount,
            secretsByteCount: secrets.byteCount,
            at: offset
        )
        built.bytes.append(facts)
        built.bytes.append(secrets)
        try end(&built)
        return built
    }

    /// Adds padding and the trailer.
    private func end(_ built: inout Built) throws(StorageError) {
        let lead = built.frame.lead
        built.bytes.append(zeros: Int(lead.frameByteCount) - FrameLead.byteCount - built.bytes.count)
        built.bytes.append(try lead.encoded(as: .trailer, keys: keys, journal: header.journal).rawSpan)
    }

    /// The start of a frame, up to its boxes, with capacity for them.
    private func begin(
        _ head: FrameHead,
        sequence: UInt64,
        factsByteCount: Int,
        secretsByteCount: Int,
        at offset: UInt64
    ) throws(StorageError) -> Built {
        let plaintext = head.encoded()
        let headByteCount = SealedChunks.sealedByteCount(plaintextByteCount: plaintext.count)
        let secretsOffset = FrameLead.byteCount + headByteCount + factsByteCount
        let byteCount = (secretsOffset + secretsByteCount).roundedUp(to: 8) + FrameLead.byteCount
        let lead = FrameLead(
            headByteCount: UInt32(headByteCount),
            frameByteCount: UInt64(byteCount),
            sequence: sequence,
            secretsOffset: UInt64(secretsOffset)
        )
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        bytes.append(try lead.encoded(keys: keys, journal: header.journal).rawSpan)
        bytes += try SealedChunks(head: lead, of: header).seal(plaintext.rawSpan, key: keys.frame)
        guard let frame = JournalFrame(lead: lead, head: head, offset: offset, in: header) else {
            preconditionFailure("a frame that was just built is well-formed")
        }
        return Built(bytes: bytes, frame: frame)
    }
}
