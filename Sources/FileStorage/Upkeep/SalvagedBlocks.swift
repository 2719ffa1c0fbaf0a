internal import GroupDirectory
internal import RecordStorage

/// Goes through the partition blocks of a snapshot that verify: by the index, or where that is gone by looking at every
/// place at which a block can stand. Blocks name themselves and open at their own place only.
struct SalvagedBlocks {
    private let generation: Generation
    private let hasIndex: Bool
    private let limit: UInt64
    private var window: ReadWindow
    private var nextRow = 0
    private var position: UInt64
    /// Blocks that do not verify, with the tag where the index knows it.
    private(set) var findings: [JournalFinding] = []

    init(of generation: Generation, hasIndex: Bool, fileByteCount: UInt64) {
        self.generation = generation
        self.hasIndex = hasIndex
        limit = min(generation.header.indexOffset, fileByteCount)
        window = ReadWindow(generation.file, limit: limit, readAhead: 1 << 20)
        position = generation.header.blocksOffset
    }

    /// The next one.
    mutating func next() throws(StorageError) -> BlockHead? {
        try hasIndex ? nextByIndex() : nextByLooking()
    }

    private mutating func nextByIndex() throws(StorageError) -> BlockHead? {
        while nextRow < generation.index.partitionCount {
            let row = generation.index[nextRow]
            nextRow += 1
            if let head = try head(at: row.blockOffset)?.head, head.partition == row.tag { return head }
            let count = UInt64(row.blockByteCount)
            findings.append(JournalFinding(.partition, at: row.blockOffset, count: count, partition: row.tag))
        }
        return nil
    }

    private mutating func nextByLooking() throws(StorageError) -> BlockHead? {
        let start = position
        while position < limit {
            let offset = position
            if let found = try head(at: offset, largestHead: Self.largestSoughtHead) {
                if offset > start { findings.append(JournalFinding(.partition, at: start, count: offset - start)) }
                position += UInt64(found.lead.blockByteCount)
                return found.head
            }
            position += 8
        }
        if position > start { findings.append(JournalFinding(.partition, at: start, count: position - start)) }
        return nil
    }

    /// Heads longer than this are not looked for: nothing vouches for the length where no index tells of the block.
    private static let largestSoughtHead: UInt32 = 8 << 20

    private mutating func head(
        at offset: UInt64,
        largestHead: UInt32 = .max
    ) throws(StorageError) -> (lead: BlockLead, head: BlockHead)? {
        guard let at = try window.load(at: offset, count: BlockLead.byteCount),
            let lead = BlockLead(in: window.bytes.raw, at: at), UInt64(lead.blockByteCount) <= limit - offset,
            lead.headByteCount <= largestHead
        else { return nil }
        let count = BlockLead.byteCount + Int(lead.headByteCount)
        guard let start = try window.load(at: offset, count: count) else { return nil }
        let block = window.bytes.raw.extracting(start..<start + count)
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
