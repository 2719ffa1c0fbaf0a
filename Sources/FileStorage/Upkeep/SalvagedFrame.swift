internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// What is left of a transaction whose head does not verify: the records that their own boxes vouch for, and what its rows
/// claim beside them.
struct SalvagedFrame {
    struct Record {
        let record: JournalRecord
        let partition: PartitionTag
        /// False where its secret is spoiled.
        let isWhole: Bool
        let removal: RemovalScope?
    }

    let sequence: UInt64
    private(set) var records: [Record] = []
    private(set) var claims: ClaimedOperations
    /// What its rows say was put, and is not there.
    private(set) var lostPuts: [FrameOperation.Put] = []
    /// Whether no box of facts is spoiled: then no mark of a sign-out is missing.
    let hasAllFacts: Bool
    /// How many records are lost at most, besides those of ``lostPuts`` and those that are not whole.
    let largestUnknownCount: Int
    /// What cannot be read, in the file.
    private(set) var unreadable: [Range<UInt64>] = []

    /// The transaction removed everything before it.
    var removesAll: Bool { claims.removesAll || records.contains { $0.removal == .group } }

    /// Where the parts of a frame lie, as far as it is known.
    struct Layout {
        /// The frame in the file, whether or not the file reaches so far.
        let frame: Range<UInt64>
        /// From the start of the frame; nil where nothing vouches for them.
        let headByteCount: Int?
        let secretsOffset: Int?
    }

    /// Reads the frame. More than this of one is not looked at.
    static let largestByteCount = 64 << 20

    init(
        _ layout: Layout,
        sequences: ClosedRange<UInt64>,
        in file: CheckedFile,
        keys: JournalKeys,
        examiner: any RecordExaminer
    ) throws(StorageError) {
        sequence = sequences.upperBound
        let wanted = Int(min(UInt64(layout.frame.count), UInt64(Self.largestByteCount)))
        let bytes = try file.read(at: layout.frame.lowerBound, count: wanted)
        let walk = BoxWalk(bytes: bytes, offset: layout.frame.lowerBound, examiner: examiner)
        let headStart = min(FrameLead.byteCount, bytes.count)
        let head = try SealedChunks.openUnverified(
            bytes.rawSpan.extracting(headStart..<bytes.count),
            byteCount: layout.headByteCount,
            key: keys.frame
        )
        let headPlaintextByteCount = layout.headByteCount.map { count in
            count - AEAD.overhead * (SealedChunks.chunkCount(sealedByteCount: count) ?? 1)
        }
        claims = ClaimedOperations(head, byteCount: headPlaintextByteCount)
        var partitions = Set(claims.puts.map(\.partition))
        partitions.formUnion(claims.removes.map(\.partition))
        // Facts start right behind the head; where its length is not known, somewhere behind the lead.
        let factsStart = min(headStart + (layout.headByteCount ?? 0), bytes.count)
        let factsEnd = min(layout.secretsOffset ?? layout.frame.count, layout.frame.count)
        var (found, gaps) = try walk.facts(
            in: factsStart..<max(factsStart, min(factsEnd, bytes.count)),
            sequences: Array(sequences.prefix(Self.largestSequenceCount)),
            partitions: partitions
        )
        let secretsStart = min(layout.secretsOffset ?? found.last?.facts.upperBound ?? bytes.count, bytes.count)
        let secretGaps = try walk.findSecrets(of: &found, in: secretsStart..<bytes.count)
        let areSecretsWhole = secretGaps.isEmpty && bytes.count == layout.frame.count

        for record in found {
            records.append(
                Record(
                    record: try walk.record(record, keys: keys),
                    partition: record.record.partition,
                    isWhole: record.secret != nil || !record.record.hasSecret,
                    removal: record.record.removal
                )
            )
        }
        let knowsLayout = layout.headByteCount != nil && layout.secretsOffset != nil
        // A head of unknown length ends where the boxes begin, if its operations are all there.
        let headEnd = headStart + SealedChunks.sealedByteCount(plaintextByteCount: claims.chainEnd)
        if !knowsLayout, claims.isComplete, found.first?.facts.lowerBound == headEnd, areSecretsWhole {
            gaps.removeAll { $0.lowerBound == factsStart || $0.lowerBound >= secretsStart }
        }
        let missingStart = max(FrameLead.byteCount + (layout.headByteCount ?? 0), bytes.count)
        if factsEnd > missingStart { gaps.append(missingStart..<factsEnd) }
        hasAllFacts = gaps.isEmpty && (knowsLayout || claims.isComplete)
        let foundTags = Set(found.map(\.record.tag))
        if hasAllFacts {
            largestUnknownCount = 0
        } else {
            lostPuts = claims.puts.filter { !foundTags.contains($0.tag) }
            let byteCount = gaps.reduce(0) { $0 + $1.count }
            let rowByteCount = FrameHead.smallestPutByteCount
            var largest = byteCount / (BoxWalk.smallestFactsByteCount + (knowsLayout ? 0 : rowByteCount))
            if let headPlaintextByteCount {
                let rows = (headPlaintextByteCount - ClaimedOperations.fixedByteCount) / rowByteCount
                largest = min(largest, rows - found.count)
            }
            largestUnknownCount = claims.isComplete ? 0 : max(0, largest - lostPuts.count)
        }
        let start = layout.frame.lowerBound
        unreadable = (gaps + secretGaps).map { start + UInt64($0.lowerBound)..<start + UInt64($0.upperBound) }
        // Of a record without its secret the facts may be of use to somebody.
        for (facts, record) in zip(found.map(\.facts), records) where !record.isWhole {
            unreadable.append(start + UInt64(facts.lowerBound)..<start + UInt64(facts.upperBound))
        }
        if let first = found.first?.facts.lowerBound ?? gaps.first?.lowerBound {
            unreadable.append(start..<start + UInt64(first))
        }
    }

    /// Of more transactions that are missing together not each is tried.
    private static let largestSequenceCount = 64
}
