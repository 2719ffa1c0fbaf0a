internal import GroupDirectory
internal import RecordStorage

/// The transactions behind a snapshot that verify, applied in order, past those that do not.
struct SalvagedFrames {
    private(set) var overlay = Overlay()
    private(set) var findings: [JournalFinding] = []
    private(set) var lostTransactionCount = 0
    /// The newest transaction that is known of.
    private(set) var sequence: UInt64

    /// Reads the frames of `generation`, whose index is not needed.
    init(of generation: Generation, in directory: GroupDirectory, fileByteCount: UInt64) throws(StorageError) {
        sequence = generation.header.baseSequence
        let synced = SyncedLength.noted(of: generation, in: directory)
        let reader = TailReader(generation: generation, syncedByteCount: synced)
        var cursor = TailReader.Cursor(end: generation.header.framesOffset, sequence: sequence)
        guard cursor.end <= fileByteCount else { return }
        // At least once: where no byte is left behind the snapshot, the page may know of some.
        while true {
            let result = try reader.read(from: cursor, fileByteCount: fileByteCount) { frame in
                _ = overlay.apply(frame, noting: false)
            }
            cursor = result.cursor
            sequence = cursor.sequence
            switch result.rest {
            case .nothing:
                return
            case .torn:
                findings.append(JournalFinding(.tornTail, at: cursor.end, count: result.restByteCount))
                return
            case .damaged:
                guard let next = try reader.nextLead(behind: cursor, fileByteCount) else {
                    // Nothing behind it tells how many there were; one at least.
                    lost(1, from: cursor.end, to: cursor.end + result.restByteCount)
                    sequence += 1
                    return
                }
                // Go on before the transaction that was found, whatever its number is.
                lost(Int(next.lead.sequence - cursor.sequence - 1), from: cursor.end, to: next.offset)
                let goesForwards = next.offset > cursor.end || next.lead.sequence - 1 > cursor.sequence
                precondition(goesForwards, "salvage goes forwards")
                cursor = TailReader.Cursor(end: next.offset, sequence: next.lead.sequence - 1)
                sequence = cursor.sequence
            }
        }
    }

    private mutating func lost(_ count: Int, from start: UInt64, to end: UInt64) {
        lostTransactionCount += count
        findings.append(JournalFinding(.transaction, at: start, count: end - start))
    }
}
