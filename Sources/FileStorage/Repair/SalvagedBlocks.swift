// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Iterates over the partition blocks of a snapshot: by the index or, if that is lost, by trying every possible offset.
/// A block contains its own tag and opens only at its own offset. A block whose head does not verify is lost whole.
struct SalvagedBlocks {
    /// A snapshot partition.
    struct Block {
        let partition: PartitionTag
        let records: [JournalRecord]
    }

    private let generation: Generation
    private let hasIndex: Bool
    private let limit: UInt64
    private var window: ReadWindow
    private var nextRow = 0
    private var position: UInt64
    /// Blocks that do not verify, with their tag if the index gives it.
    private(set) var findings: [JournalFinding] = []
    /// The number of records in those of them that the index lists.
    private(set) var lostRecordCount = 0
    /// Whether bytes that do not verify may have been blocks with any number of records.
    private(set) var hasUnknownLoss = false

    init(of generation: Generation, hasIndex: Bool, fileByteCount: UInt64) {
        self.generation = generation
        self.hasIndex = hasIndex
        limit = min(generation.header.indexOffset, fileByteCount)
        window = ReadWindow(generation.file, limit: limit, readAhead: 1 << 20)
        position = generation.header.blocksOffset
    }

    /// The next block.
    mutating func next() throws(StorageError) -> Block? {
        hasIndex ? try nextByIndex() : try nextByLooking()
    }

    private mutating func nextByIndex() throws(StorageError) -> Block? {
        while nextRow < generation.index.partitionCount {
            let row = generation.index[nextRow]
            nextRow += 1
            if row.blockOffset < JournalFormat.largestNumber, let (lead, head) = try head(at: row.blockOffset),
                head.partition == row.tag
            {
                if lead.blockByteCount != row.blockByteCount || head.records.count != Int(row.recordCount) {
                    // The block authenticates itself, but readers rely on the row, which disagrees with it.
                    note(row.blockOffset, UInt64(lead.blockByteCount), row.tag)
                }
                return Block(partition: row.tag, records: head.records)
            }
            lostRecordCount += Int(row.recordCount)
            note(min(row.blockOffset, limit), UInt64(row.blockByteCount), row.tag)
        }
        return nil
    }

    private mutating func nextByLooking() throws(StorageError) -> Block? {
        let start = position
        while position < limit {
            let offset = position
            if let found = try head(at: offset, largestHead: Self.largestSoughtHead) {
                if offset > start { lose(start..<offset) }
                position += UInt64(found.lead.blockByteCount)
                return Block(partition: found.head.partition, records: found.head.records)
            }
            position += 8
        }
        let end = generation.header.indexOffset
        if start < end { lose(start..<end) }
        position = end
        return nil
    }

    private mutating func lose(_ range: Range<UInt64>) {
        hasUnknownLoss = true
        note(range.lowerBound, UInt64(range.count), nil)
    }

    private mutating func note(_ offset: UInt64, _ count: UInt64, _ partition: PartitionTag?) {
        findings.append(JournalFinding(.partition, at: offset, count: count, partition: partition))
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
