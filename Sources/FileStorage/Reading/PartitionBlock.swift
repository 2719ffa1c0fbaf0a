// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// A partition block of the snapshot: its head opened, its facts still sealed.
struct PartitionBlock: Sendable {
    let records: [JournalRecord]
    /// The whole block; empty if the facts are to be read from the file.
    private var bytes: [UInt8]
    /// Its file offset.
    let offset: UInt64

    /// Reads the block of a row, with one system call.
    init(_ row: SnapshotIndex.Row, of generation: Generation) throws(StorageError) {
        try self.init(row, header: generation.header, keys: generation.keys) { offset, count throws(StorageError) in
            try generation.file.read(at: offset, count: count)
        }
    }

    /// Reads the block of a row. `read` returns the bytes at an offset, and fewer than requested only at the end of the
    /// file.
    init(
        _ row: SnapshotIndex.Row,
        header: JournalHeader,
        keys: JournalKeys,
        read: (UInt64, Int) throws(StorageError) -> [UInt8]
    ) throws(StorageError) {
        guard row.blockOffset >= header.blocksOffset, row.blockOffset <= header.indexOffset,
            UInt64(row.blockByteCount) <= header.indexOffset - row.blockOffset
        else { throw StorageError(.damaged, detail: "the index points outside the file") }
        let bytes = try read(row.blockOffset, Int(row.blockByteCount))
        guard bytes.count == Int(row.blockByteCount) else {
            throw StorageError(.damaged, detail: "the file ends within a partition")
        }
        guard let lead = BlockLead(in: bytes.rawSpan, at: 0), lead.blockByteCount == row.blockByteCount else {
            throw StorageError(.damaged, detail: "a partition does not verify")
        }
        let head = try Self.openHead(bytes.rawSpan, lead: lead, offset: row.blockOffset, header: header, keys: keys)
        guard head.partition == row.tag, head.records.count == Int(row.recordCount) else {
            throw StorageError(.damaged, detail: "the index points to another partition")
        }
        self.bytes = bytes
        offset = row.blockOffset
        records = head.records
    }

    /// Opens the head of the block at file offset `offset`, which is at the start of `bytes`.
    static func openHead(
        _ bytes: RawSpan,
        lead: BlockLead,
        offset: UInt64,
        header: JournalHeader,
        keys: JournalKeys
    ) throws(StorageError) -> BlockHead {
        let chunks = SealedChunks(
            label: .block,
            journal: header.journal,
            epoch: header.epoch,
            location: offset,
            size: UInt64(lead.blockByteCount)
        )
        let headEnd = BlockLead.byteCount + Int(lead.headByteCount)
        let head = try chunks.open(bytes.extracting(BlockLead.byteCount..<headEnd), key: keys.index)
        return try BlockHead(
            decoding: head.rawSpan,
            factsOffset: offset + UInt64(headEnd),
            blockEnd: offset + UInt64(lead.blockByteCount)
        )
    }

    /// The records alone: no box is in this block, and facts are read from the file.
    var withoutFacts: PartitionBlock {
        var records = self
        records.bytes = []
        return records
    }

    /// Whether this contains a box.
    func contains(_ location: BoxLocation) -> Bool {
        location.offset >= offset && location.offset + UInt64(location.length) <= offset + UInt64(bytes.count)
    }

    /// The facts box of one of its records.
    func facts(of record: JournalRecord) -> [UInt8] {
        let start = Int(record.stored.facts.offset - offset)
        return bytes.rawSpan.extracting(start..<start + Int(record.stored.facts.length)).copied()
    }
}
