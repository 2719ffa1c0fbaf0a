// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// The remains of a transaction whose head does not verify: the records that their own boxes authenticate, and the
/// other operations that the head claims.
struct SalvagedFrame {
    struct Record {
        let record: JournalRecord
        let partition: PartitionTag
        /// False if its secret is damaged.
        let isWhole: Bool
        let removal: RemovalScope?
    }

    let sequence: UInt64
    private(set) var records: [Record] = []
    private(set) var claims: ClaimedOperations
    /// Puts that the head claims but whose records are missing.
    private(set) var lostPuts: [FrameOperation.Put] = []
    /// Whether all facts boxes are intact, so that no record of a sign-out is missing.
    let hasAllFacts: Bool
    /// The maximum number of lost records besides those of ``lostPuts`` and those that are not whole.
    let largestUnknownCount: Int
    /// Unreadable ranges in the file.
    private(set) var unreadable: [Range<UInt64>] = []

    /// Whether the transaction removed everything before it.
    var removesAll: Bool { claims.removesAll || records.contains { $0.removal == .group } }

    /// The parts of a frame, as far as they are known.
    struct Layout {
        /// The range of the frame, which may extend beyond the end of the file.
        let frame: Range<UInt64>
        /// The length of the head; nil if it is not authenticated.
        let headByteCount: Int?
        let secretsOffset: Int?
    }

    /// The maximum number of bytes of a frame to examine.
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
        // Facts follow the head directly. If its length is unknown, search for them from the end of the lead.
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
        // A head of unknown length ends where the boxes begin, if all its operations are present.
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
        // Quarantine the facts of a record without its secret, because they may still be useful.
        for (facts, record) in zip(found.map(\.facts), records) where !record.isWhole {
            unreadable.append(start + UInt64(facts.lowerBound)..<start + UInt64(facts.upperBound))
        }
        if let first = found.first?.facts.lowerBound ?? gaps.first?.lowerBound {
            unreadable.append(start..<start + UInt64(first))
        }
    }

    /// The maximum number of sequences to try, however many transactions are missing in one gap.
    private static let largestSequenceCount = 64
}
