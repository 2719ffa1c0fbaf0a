// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Iterates over all partitions of a journal in ascending order of tag, reading the snapshot sequentially.
struct LivePartitions {
    private let generation: Generation
    private let overlay: Overlay
    private let touched: [PartitionTag]
    private var nextRow = 0
    private var nextTouched = 0
    private var window: ReadWindow
    private let rowCount: Int

    init(of generation: Generation, _ overlay: Overlay) {
        self.generation = generation
        self.overlay = overlay
        touched = overlay.partitions.keys.sorted()
        rowCount = overlay.hidesSnapshot ? 0 : generation.index.partitionCount
        window = ReadWindow(generation.file, limit: generation.header.indexOffset, readAhead: 1 << 20)
    }

    /// The tag of the next partition.
    var peek: PartitionTag? {
        let inSnapshot = nextRow < rowCount ? generation.index[nextRow].tag : nil
        let inFrames = nextTouched < touched.count ? touched[nextTouched] : nil
        guard let inSnapshot else { return inFrames }
        guard let inFrames else { return inSnapshot }
        return min(inSnapshot, inFrames)
    }

    /// The next partition, which may have no records; `nil` at the end.
    mutating func next() throws(StorageError) -> LivePartition? {
        guard let tag = peek else { return nil }
        var block: PartitionBlock?
        if nextRow < rowCount, generation.index[nextRow].tag == tag {
            block = try readBlock(generation.index[nextRow])
            nextRow += 1
        }
        var changed: Overlay.Partition?
        if nextTouched < touched.count, touched[nextTouched] == tag {
            changed = overlay.partitions[tag]
            nextTouched += 1
        }
        return LivePartition(tag: tag, generation: generation, block: block, changed: changed)
    }

    /// Skips the next partition, including the changes that frames made to it, because its block cannot be read.
    mutating func skip() {
        guard let tag = peek else { return }
        if nextRow < rowCount, generation.index[nextRow].tag == tag { nextRow += 1 }
        if nextTouched < touched.count, touched[nextTouched] == tag { nextTouched += 1 }
    }

    private mutating func readBlock(_ row: SnapshotIndex.Row) throws(StorageError) -> PartitionBlock {
        do throws(StorageError) {
            guard let at = try window.load(at: row.blockOffset, count: Int(row.blockByteCount)) else {
                throw StorageError(.damaged, detail: "the file ends within a partition")
            }
            let bytes = window.bytes.rawSpan.extracting(at..<at + Int(row.blockByteCount)).copied()
            return try PartitionBlock(row, header: generation.header, keys: generation.keys) { _, _ in bytes }
        } catch {
            throw error.at(generation.file.path)
        }
    }
}

/// One partition: the records from its block and the changes by frames, merged.
struct LivePartition {
    let tag: PartitionTag
    let records: [JournalRecord]
    private let generation: Generation
    private let block: PartitionBlock?
    private let changed: Overlay.Partition?

    init(tag: PartitionTag, generation: Generation, block: PartitionBlock?, changed: Overlay.Partition?) {
        self.tag = tag
        self.generation = generation
        self.block = block
        self.changed = changed
        records = PartitionView.merge(block?.records ?? [], changed)
    }

    /// The sealed facts of one of its records.
    func facts(of record: JournalRecord) throws(StorageError) -> [UInt8] {
        if let block, block.contains(record.stored.facts) { return block.facts(of: record) }
        let location = record.stored.facts
        let bytes = try generation.file.read(at: location.offset, count: Int(location.length))
        guard bytes.count == Int(location.length) else {
            throw StorageError(.damaged, path: generation.file.path, detail: "the file ends within a box")
        }
        return bytes
    }

    /// The secret boxes of all versions of a record that are still in the file.
    func secrets(of tag: RecordTag) -> [BoxLocation] {
        var locations = records.filter { $0.stored.tag == tag }.map(\.stored.secret)
        if let changed {
            locations += changed.leftovers.filter { $0.tag == tag }.map(\.secret)
            if changed.records[tag] != nil, !changed.erased.contains(tag) {
                locations += (block?.records ?? []).filter { $0.stored.tag == tag }.map(\.stored.secret)
            }
        }
        return locations.filter { $0.length > 0 }
    }
}
