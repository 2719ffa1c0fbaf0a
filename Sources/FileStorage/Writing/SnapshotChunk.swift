// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// Partitions ready to be sealed and written, in ascending order of tag.
struct SnapshotChunk: Sendable {
    /// One partition, as ranges of ``heads`` and ``facts``.
    struct Block: Sendable {
        let partition: PartitionTag
        let recordCount: Int
        let searchTags: [SearchTag]
        let head: Range<Int>
        let facts: Range<Int>
    }

    private(set) var blocks: [Block] = []
    /// Their encoded heads.
    private(set) var heads: [UInt8] = []
    /// Their facts boxes.
    private(set) var facts: [UInt8] = []

    /// The size at which a chunk is full.
    private static let largestByteCount = 256 << 10

    init() {}

    /// An empty chunk with the capacity of another.
    init(like other: SnapshotChunk) {
        blocks.reserveCapacity(other.blocks.count)
        heads.reserveCapacity(other.heads.count)
        facts.reserveCapacity(other.facts.count)
    }

    var isFull: Bool { heads.count + facts.count >= Self.largestByteCount }

    /// Adds a partition: its records in ascending order of tag, with the locations of their secrets in the new file.
    /// `appendFacts` appends their facts boxes in order.
    mutating func append(
        _ partition: PartitionTag,
        records: some Collection<JournalRecord>,
        appendFacts: (inout [UInt8]) throws(StorageError) -> Void
    ) throws(StorageError) {
        let start = (head: heads.count, facts: facts.count)
        BlockHead.append(partition, records: records, to: &heads)
        try appendFacts(&facts)
        let block = Block(
            partition: partition,
            recordCount: records.count,
            searchTags: records.flatMap(\.searchTags),
            head: start.head..<heads.count,
            facts: start.facts..<facts.count
        )
        blocks.append(block)
    }
}
