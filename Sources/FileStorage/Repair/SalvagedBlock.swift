// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// The remains of a snapshot partition whose head does not verify: the records that their own boxes authenticate. The
/// head's rows state the transaction that wrote each record and the location of its secret; a row is trusted only once
/// the boxes open accordingly.
struct SalvagedBlock {
    /// The records found, by partition. The secret hash is missing if the secret is damaged.
    private(set) var records: [PartitionTag: [JournalRecord]] = [:]
    /// The maximum number of lost records.
    private(set) var largestUnknownCount = 0

    /// An unverified row.
    private struct Row {
        let tag: RecordTag
        let sequence: UInt64
        let secret: BoxLocation
    }

    /// - Parameters:
    ///   - range: its range in the file.
    ///   - row: its row in the index; `nil` if the index does not verify.
    ///   - generation: the journal.
    ///   - examiner: identifies records by their boxes.
    /// - Returns: the remains.
    /// - Throws: errors of reading the file.
    static func read(
        _ range: Range<UInt64>,
        row: SnapshotIndex.Row?,
        of generation: Generation,
        examiner: any RecordExaminer
    ) throws(StorageError) -> SalvagedBlock {
        var block = SalvagedBlock()
        let byteCount = min(UInt64(range.count), UInt64(SalvagedFrame.largestByteCount))
        let bytes = try generation.file.read(at: range.lowerBound, count: Int(byteCount))
        let smallest = BlockHead.rowByteCount + BoxWalk.smallestFactsByteCount
        var rowCount = range.count / smallest
        if let row { rowCount = Int(row.recordCount) }
        block.largestUnknownCount = rowCount
        guard bytes.count > BlockLead.byteCount else { return block }
        let head = try SealedChunks.openUnverified(
            bytes.rawSpan.extracting(BlockLead.byteCount..<bytes.count),
            byteCount: nil,
            key: generation.keys.index
        )
        let rows = rows(in: head, count: min(rowCount, range.count / smallest), upTo: generation.header.baseSequence)
        var partitions: Set<PartitionTag> = []
        if let row {
            partitions.insert(row.tag)
        } else if head.count >= 16 {
            partitions.insert(PartitionTag(first: head.rawSpan.uint64(at: 0), second: head.rawSpan.uint64(at: 8)))
        }
        var sequences: Set<UInt64> = []
        for row in rows where sequences.count < largestSequenceCount { sequences.insert(row.sequence) }
        let walk = BoxWalk(bytes: bytes, offset: range.lowerBound, examiner: examiner)
        let (found, _) = try walk.facts(
            in: BlockLead.byteCount..<bytes.count,
            sequences: sequences.sorted(),
            partitions: partitions
        )
        var foundTags: Set<RecordTag> = []
        for record in found { foundTags.insert(record.record.tag) }
        let ownRows = Dictionary(rows.map { ($0.tag, $0) }) { first, _ in first }
        let otherRows = rows.filter { !foundTags.contains($0.tag) }
        for record in found {
            if let row, record.record.partition != row.tag { continue }
            let own = ownRows[record.record.tag]
            // If no row has its tag, the record may belong to a row whose tag is damaged.
            let claims = own.map { [$0] } ?? otherRows
            var known = try walk.record(record, keys: generation.keys)
            if record.record.hasSecret {
                known = known.moved(to: own.map { plausible($0.secret, generation) } ?? .unknown)
            }
            for row in claims where known.stored.secret.length > 0 {
                guard let box = try secret(row.secret, of: record.record, in: generation, examiner) else { continue }
                known = known.moved(to: row.secret)
                known.secretHash = try generation.keys.boxHash(box.rawSpan)
                break
            }
            block.records[record.record.partition, default: []].append(known)
            block.largestUnknownCount = max(0, block.largestUnknownCount - 1)
        }
        return block
    }

    /// The maximum number of transactions to try, however many the rows claim.
    private static let largestSequenceCount = 64

    private static func rows(in head: [UInt8], count: Int, upTo newest: UInt64) -> [Row] {
        var rows: [Row] = []
        let bytes = head.rawSpan
        for number in 0..<count {
            let row = BlockHead.fixedByteCount + number * BlockHead.rowByteCount
            guard row + BlockHead.rowByteCount <= bytes.byteCount else { break }
            let sequence = bytes.uint64(at: row + 16)
            guard sequence > 0, sequence <= newest else { continue }
            rows.append(
                Row(
                    tag: RecordTag(first: bytes.uint64(at: row), second: bytes.uint64(at: row + 8)),
                    sequence: sequence,
                    secret: BoxLocation(offset: bytes.uint64(at: row + 24), length: bytes.uint32(at: row + 32))
                )
            )
        }
        return rows
    }

    /// The location if a secret can be there, otherwise ``BoxLocation/unknown``.
    private static func plausible(_ location: BoxLocation, _ generation: Generation) -> BoxLocation {
        let isPlausible =
            location.length > 0 && location.length <= JournalFormat.largestBoxByteCount
            && location.offset >= UInt64(JournalHeader.byteCount) && location.offset <= generation.header.blocksOffset
            && UInt64(location.length) <= generation.header.blocksOffset - location.offset
        return isPlausible ? location : .unknown
    }

    /// The record's secret, if it is at that location.
    private static func secret(
        _ location: BoxLocation,
        of record: ExaminedRecord,
        in generation: Generation,
        _ examiner: any RecordExaminer
    ) throws(StorageError) -> [UInt8]? {
        guard location != .unknown, plausible(location, generation) == location else { return nil }
        let box = try generation.file.read(at: location.offset, count: Int(location.length))
        let found = try examiner.secret(at: box.rawSpan, of: [record])
        return found?.byteCount == Int(location.length) ? box : nil
    }
}

extension BoxLocation {
    /// Stands for the location of a secret that cannot be located.
    static let unknown = BoxLocation(offset: 1 << 62, length: 1)
}
