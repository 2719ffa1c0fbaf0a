// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// The transactions after a snapshot, applied in order. One that does not verify is lost whole.
struct SalvagedFrames {
    private(set) var overlay = Overlay()
    /// The secrets that transactions removed, overwritten or not.
    private(set) var removedLocations: Set<BoxLocation> = []
    /// Transactions that do not verify or do not count.
    private(set) var findings: [JournalFinding] = []
    /// What was found in the others.
    private(set) var check: FrameCheck
    /// The ranges to quarantine.
    private(set) var unreadable: [Range<UInt64>] = []
    private(set) var lostTransactionCount = 0
    /// The newest transaction that the journal or the page knows.
    private(set) var sequence: UInt64
    /// The page's error if the journal ends before transactions that it knows.
    private(set) var rollback: StorageError?
    /// The number of those transactions.
    private(set) var missingTransactionCount: UInt64 = 0

    private let reader: TailReader
    private let file: CheckedFile
    private let fileByteCount: UInt64

    /// Reads the frames of `generation`, without using its index.
    init(of generation: Generation, in directory: GroupDirectory, fileByteCount: UInt64) throws(StorageError) {
        self.fileByteCount = fileByteCount
        file = generation.file
        check = FrameCheck(of: generation)
        sequence = generation.header.baseSequence
        reader = TailReader(generation: generation, note: SyncNote(of: generation, in: directory))
        let start = TailReader.Cursor(end: generation.header.framesOffset, sequence: sequence)
        try run(from: start)
    }

    private mutating func run(from start: TailReader.Cursor) throws(StorageError) {
        var cursor = start
        while true {
            let result = try reader.read(from: cursor, fileByteCount: fileByteCount) { frame throws(StorageError) in
                try apply(frame)
            }
            cursor = result.cursor
            sequence = max(sequence, cursor.sequence)
            let rest = cursor.end..<cursor.end + result.restByteCount
            switch result.rest {
            case .nothing: return try setAside(behind: cursor)
            case .torn, .unproven:
                findings.append(JournalFinding(result.rest, at: cursor.end, count: result.restByteCount))
                return try setAside(behind: cursor)
            case .unusable(let error) where error.code == .rollbackSuspected:
                rollback = error
                sequence = max(sequence, reader.note?.sequence ?? 0)
                missingTransactionCount = sequence - cursor.sequence
                return try setAside(behind: cursor)
            case .unusable:
                // A repair may be slow, so it verifies every claim.
                let evidence = try reader.evidence(
                    behind: cursor,
                    fileByteCount,
                    largestClaimCount: .max,
                    isLimited: false
                )
                guard let later = evidence.later, later.offset > cursor.end || later.lead.sequence > cursor.sequence + 1
                else { return try loseRest(cursor, rest) }
                lose(Int(clamping: later.lead.sequence - cursor.sequence - 1), cursor.end..<later.offset)
                // Continue with the transaction that was found, whatever its sequence.
                cursor = TailReader.Cursor(end: later.offset, sequence: later.lead.sequence - 1)
                if try !isReadable(cursor) {
                    // Its own list of records does not verify.
                    let end = later.offset + later.lead.frameByteCount
                    lose(1, later.offset..<min(end, fileByteCount))
                    cursor = TailReader.Cursor(end: end, sequence: later.lead.sequence)
                    sequence = max(sequence, cursor.sequence)
                    if end >= fileByteCount { return }
                }
            }
        }
    }

    private func isReadable(_ cursor: TailReader.Cursor) throws(StorageError) -> Bool {
        let next = try reader.read(from: cursor, fileByteCount: fileByteCount) { _ in }
        return next.cursor.end > cursor.end
    }

    private mutating func apply(_ frame: JournalFrame) throws(StorageError) {
        try check.check(frame)
        _ = overlay.apply(frame, noting: false)
        for operation in frame.head.operations {
            switch operation {
            case .put: break
            case .remove(let remove) where remove.erasesSecret: removedLocations.formUnion(remove.locations)
            case .remove: break
            case .removeAll: removedLocations.removeAll()
            }
        }
    }

    /// Gives up everything from the cursor on, in which no later transaction is left.
    private mutating func loseRest(_ cursor: TailReader.Cursor, _ rest: Range<UInt64>) throws(StorageError) {
        // Bytes past this limit cannot come from a single write.
        let limit = min(rest.upperBound, cursor.end + JournalFormat.longestTailByteCount)
        let written = try reader.writtenByteCount(behind: cursor, to: limit) ?? (limit - cursor.end)
        let known = max(reader.note?.sequence ?? 0, cursor.sequence + (written > 0 ? 1 : 0))
        if known > cursor.sequence {
            lose(Int(clamping: known - cursor.sequence), cursor.end..<cursor.end + written)
            sequence = max(sequence, known)
        }
        try setAside(behind: cursor)
        if limit < rest.upperBound, let data = try file.data(from: limit, to: fileByteCount) {
            findings.append(JournalFinding(.excess, at: data.lowerBound, count: fileByteCount - data.lowerBound))
        }
    }

    private mutating func lose(_ count: Int, _ range: Range<UInt64>) {
        lostTransactionCount += count
        findings.append(JournalFinding(.transaction, at: range.lowerBound, count: UInt64(range.count)))
        unreadable.append(range)
    }

    /// Quarantines everything from the cursor to the end of the file, which contains no known transaction, except the
    /// mark of the last one.
    private mutating func setAside(behind cursor: TailReader.Cursor) throws(StorageError) {
        let end = try cursor.end + (reader.isRoom(at: cursor) ? UInt64(TailReader.markByteCount) : 0)
        if end < fileByteCount { unreadable.append(end..<fileByteCount) }
    }
}
