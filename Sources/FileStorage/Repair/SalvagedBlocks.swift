// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Iterates over the partition blocks of a snapshot: by the index or, if that is lost, by trying every possible offset.
/// A block contains its own tag and opens only at its own offset. A block that does not verify is salvaged record by
/// record.
struct SalvagedBlocks {
    /// The readable part of a snapshot partition.
    struct Block {
        let partition: PartitionTag
        let records: [JournalRecord]
        /// The number of unreadable rows.
        var unknownRowCount = 0
    }

    private let generation: Generation
    private let hasIndex: Bool
    private let examiner: any RecordExaminer
    private let limit: UInt64
    private var window: ReadWindow
    private var nextRow = 0
    private var position: UInt64
    /// Records found in blocks without an index row.
    private var salvaged: [Block] = []
    /// Blocks that do not verify, with their tag if the index gives it.
    private(set) var findings: [JournalFinding] = []
    /// Unreadable ranges that cannot be attributed to a partition.
    private(set) var unknown: [Range<UInt64>] = []
    /// The maximum number of records in those ranges.
    private(set) var largestUnknownCount = 0

    init(of generation: Generation, hasIndex: Bool, fileByteCount: UInt64, examiner: any RecordExaminer) {
        self.generation = generation
        self.hasIndex = hasIndex
        self.examiner = examiner
        limit = min(generation.header.indexOffset, fileByteCount)
        window = ReadWindow(generation.file, limit: limit, readAhead: 1 << 20)
        position = generation.header.blocksOffset
    }

    /// The next block.
    mutating func next() throws(StorageError) -> Block? {
        hasIndex ? try nextByIndex() : try nextByLooking()
    }

    private mutating func nextByIndex() throws(StorageError) -> Block? {
        guard nextRow < generation.index.partitionCount else { return nil }
        let row = generation.index[nextRow]
        nextRow += 1
        guard row.blockOffset < JournalFormat.largestNumber else {
            // No file is that long, but a key holder can write any number.
            findings.append(JournalFinding(.partition, at: limit, count: 0, partition: row.tag))
            return Block(partition: row.tag, records: [], unknownRowCount: Int(row.recordCount))
        }
        if let (lead, head) = try head(at: row.blockOffset), head.partition == row.tag {
            if lead.blockByteCount != row.blockByteCount || head.records.count != Int(row.recordCount) {
                // The block authenticates itself, but readers rely on the row, which disagrees with it.
                let count = UInt64(lead.blockByteCount)
                findings.append(JournalFinding(.partition, at: row.blockOffset, count: count, partition: row.tag))
            }
            return Block(partition: row.tag, records: head.records)
        }
        let count = UInt64(row.blockByteCount)
        findings.append(JournalFinding(.partition, at: row.blockOffset, count: count, partition: row.tag))
        let range = row.blockOffset..<row.blockOffset + count
        let block = try SalvagedBlock.read(range, row: row, of: generation, examiner: examiner)
        let records = block.records[row.tag] ?? []
        return Block(partition: row.tag, records: records, unknownRowCount: block.largestUnknownCount)
    }

    private mutating func nextByLooking() throws(StorageError) -> Block? {
        if let block = salvaged.popLast() { return block }
        let start = position
        while position < limit {
            let offset = position
            if let found = try head(at: offset, largestHead: Self.largestSoughtHead) {
                if offset > start {
                    // Salvage the bytes before it first.
                    try salvage(start..<offset)
                    if let block = salvaged.popLast() { return block }
                }
                position += UInt64(found.lead.blockByteCount)
                return Block(partition: found.head.partition, records: found.head.records)
            }
            position += 8
        }
        let end = generation.header.indexOffset
        guard start < end else { return nil }
        position = end
        try salvage(start..<end)
        return salvaged.popLast()
    }

    private mutating func salvage(_ range: Range<UInt64>) throws(StorageError) {
        findings.append(JournalFinding(.partition, at: range.lowerBound, count: UInt64(range.count)))
        let block = try SalvagedBlock.read(range, row: nil, of: generation, examiner: examiner)
        salvaged = block.records.map { Block(partition: $0.key, records: $0.value) }
        unknown.append(range)
        largestUnknownCount += block.largestUnknownCount
    }

    /// The maximum length of a head found without an index, when nothing authenticates its length.
    private static let largestSoughtHead: UInt32 = 8 << 20

    private mutating func head(
        at offset: UInt64,
        largestHead: UInt32 = .max
    ) throws(StorageError) -> (lead: BlockLead, head: BlockHead)? {
        guard let at = try window.load(at: offset, count: BlockLead.byteCount),
            let lead = BlockLead(in: window.bytes.rawSpan, at: at), UInt64(lead.blockByteCount) <= limit - offset,
            lead.headByteCount <= largestHead
        else { return nil }
        let count = BlockLead.byteCount + Int(lead.headByteCount)
        guard let start = try window.load(at: offset, count: count) else { return nil }
        let block = window.bytes.rawSpan.extracting(start..<start + count)
        do throws(StorageError) {
            let head = try PartitionBlock.openHead(
                block,
                lead: lead,
                offset: offset,
                header: generation.header,
                keys: generation.keys
            )
            return (lead, head)
        } catch {
            if error.code == .damaged { return nil }
            throw error
        }
    }
}
