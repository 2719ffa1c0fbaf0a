// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Reads the frames of a journal from a known position and classifies what it cannot read.
struct TailReader {
    let generation: Generation
    /// The durable length of the file according to the revision page; `nil` if the page has no valid note.
    let syncedByteCount: UInt64?

    /// What follows the last valid frame.
    enum Rest: Sendable {
        case nothing
        /// An unacknowledged write, or one still in progress.
        case torn
        /// Neither preallocated space nor a torn write.
        case damaged(StorageError)
    }

    /// A point between two frames.
    struct Cursor: Hashable, Sendable {
        /// The end of the previous frame.
        var end: UInt64
        /// The sequence of the previous frame.
        var sequence: UInt64
    }

    /// The beginning of a valid frame, as it was read. The head's nonce is unique.
    struct Last: Sendable {
        let offset: UInt64
        let lead: FrameLead
        let nonce: (UInt64, UInt64, UInt64)
    }

    /// The position at which reading ended, and what follows it.
    struct Result: Sendable {
        /// The position after the last valid frame.
        var cursor: Cursor
        /// That frame, if one was read.
        var last: Last?
        var rest = Rest.nothing
        /// The number of torn or damaged bytes after that frame, up to the last nonzero one.
        var restByteCount: UInt64 = 0
    }

    /// Passes every valid frame to `body`, in order.
    func read(
        from start: Cursor,
        fileByteCount: UInt64,
        _ body: (JournalFrame) -> Void
    ) throws(StorageError) -> Result {
        var result = Result(cursor: start)
        var lookedAgainAt: UInt64?
        // The window is small because most frames are read only up to their head.
        var window = ReadWindow(generation.file, limit: fileByteCount, readAhead: 4 << 10)
        while result.cursor.end < fileByteCount {
            let offset = result.cursor.end
            let lead = try lead(at: offset, &window)
            if let lead, lead.sequence != result.cursor.sequence + 1 {
                result.rest = .damaged(damage(offset, "a transaction is missing or occurs twice"))
                result.restByteCount =
                    try writtenByteCount(from: offset, to: fileByteCount) ?? (fileByteCount - offset)
                return result
            }
            if let lead, let (frame, nonce) = try frame(lead, at: offset, fileByteCount: fileByteCount, window: &window)
            {
                body(frame)
                result.last = Last(offset: offset, lead: lead, nonce: nonce)
                result.cursor = Cursor(end: frame.end, sequence: lead.sequence)
                continue
            }
            // Usually no write was begun here, and only preallocated space follows.
            if lead == nil, syncedByteCount == offset, try !isWritten(at: offset, &window) { return result }
            result.rest = try judge(result.cursor, fileByteCount: fileByteCount, restByteCount: &result.restByteCount)
            guard case .damaged = result.rest, lookedAgainAt != offset else { return result }
            // A writer may have completed this frame, and perhaps further ones, during the read: read again from here.
            lookedAgainAt = offset
            window = ReadWindow(generation.file, limit: fileByteCount, readAhead: 4 << 10)
            result.rest = .nothing
        }
        if let syncedByteCount, syncedByteCount > result.cursor.end {
            result.rest = .damaged(damage(result.cursor.end, "durable transactions are missing"))
        }
        return result
    }

    /// Whether a transaction was begun at `offset`: a write becomes visible from its start, and a lead does not begin
    /// with zeros.
    func isWritten(at offset: UInt64) throws(StorageError) -> Bool {
        let lead: InlineArray<6, UInt64> = try generation.file.words(at: offset)
        return !lead.rawSpan.isZero
    }

    private func isWritten(at offset: UInt64, _ window: inout ReadWindow) throws(StorageError) -> Bool {
        let count = Int(min(UInt64(FrameLead.byteCount), window.limit - min(window.limit, offset)))
        guard let at = try window.load(at: offset, count: count) else { return false }
        return !window.bytes.rawSpan.extracting(at..<at + count).isZero
    }

    /// The frame at `offset`, or `nil` if it is not valid.
    private func frame(
        _ lead: FrameLead,
        at offset: UInt64,
        fileByteCount: UInt64,
        window: inout ReadWindow
    ) throws(StorageError) -> (JournalFrame, nonce: (UInt64, UInt64, UInt64))? {
        guard lead.frameByteCount <= fileByteCount - offset,
            let (head, nonce) = try head(lead, at: offset, &window),
            let frame = JournalFrame(lead: lead, head: head, offset: offset)
        else { return nil }
        // Only the last frame can be partially written, because a writer begins a frame only once the previous one is
        // durable.
        if (syncedByteCount ?? 0) >= frame.end { return (frame, nonce) }
        if try !isWritten(at: frame.end, &window) {
            if try boxesVerify(frame, &window) { return (frame, nonce) }
            if try writtenByteCount(from: frame.end, to: fileByteCount) == 0 { return nil }
        }
        // A writer may have replaced this frame, if it was torn, after it was read, and appended the following frame to
        // its replacement.
        let again = try generation.file.read(at: offset + UInt64(FrameLead.byteCount), count: 24)
        return again.count == 24
            && (again.rawSpan.uint64(at: 0), again.rawSpan.uint64(at: 8), again.rawSpan.uint64(at: 16)) == nonce
            ? (frame, nonce) : nil
    }

    private func lead(at offset: UInt64, _ window: inout ReadWindow) throws(StorageError) -> FrameLead? {
        guard let at = try window.load(at: offset, count: FrameLead.byteCount) else { return nil }
        return try FrameLead.verified(
            in: window.bytes.rawSpan,
            at: at,
            keys: generation.keys,
            journal: generation.header.journal
        )
    }

    /// The head of the frame at `offset`, or `nil` if it does not verify.
    private func head(
        _ lead: FrameLead,
        at offset: UInt64,
        _ window: inout ReadWindow
    ) throws(StorageError) -> (FrameHead, nonce: (UInt64, UInt64, UInt64))? {
        let offset = offset + UInt64(FrameLead.byteCount)
        guard let at = try window.load(at: offset, count: Int(lead.headByteCount)) else { return nil }
        let sealed = window.bytes.rawSpan.extracting(at..<at + Int(lead.headByteCount))
        do throws(StorageError) {
            let chunks = SealedChunks(head: lead, of: generation.header)
            let plaintext = try chunks.open(sealed, key: generation.keys.frame)
            return (
                try FrameHead(decoding: plaintext.rawSpan),
                (sealed.uint64(at: 0), sealed.uint64(at: 8), sealed.uint64(at: 16))
            )
        } catch {
            if error.code == .damaged { return nil }
            throw error.at(generation.file.path)
        }
    }

    /// Whether every box of a frame matches the hash in the head.
    func boxesVerify(_ frame: JournalFrame, _ window: inout ReadWindow) throws(StorageError) -> Bool {
        let count = Int(frame.lead.frameByteCount)
        guard let at = try window.load(at: frame.offset, count: count) else { return false }
        let bytes = window.bytes.rawSpan.extracting(at..<at + count)
        var facts = Int(frame.factsOffset - frame.offset)
        var secret = Int(frame.lead.secretsOffset)
        for case .put(let put) in frame.head.operations {
            let factsEnd = facts + Int(put.factsByteCount)
            let secretEnd = secret + Int(put.secretByteCount)
            guard try generation.keys.boxHash(bytes.extracting(facts..<factsEnd)).isEqual(to: put.factsHash),
                try generation.keys.boxHash(bytes.extracting(secret..<secretEnd)).isEqual(to: put.secretHash)
            else { return false }
            facts = factsEnd
            secret = secretEnd
        }
        return true
    }

    /// Classifies the bytes at `cursor` as preallocated space, a torn tail or damage.
    private func judge(
        _ cursor: Cursor,
        fileByteCount: UInt64,
        restByteCount: inout UInt64
    ) throws(StorageError) -> Rest {
        let written = try writtenByteCount(from: cursor.end, to: fileByteCount)
        restByteCount = written ?? (fileByteCount - cursor.end)
        if let syncedByteCount, syncedByteCount > cursor.end {
            restByteCount = max(restByteCount, min(syncedByteCount, fileByteCount) - cursor.end)
            return .damaged(damage(cursor.end, "a transaction that was durable does not verify"))
        }
        guard let written else {
            return .damaged(
                damage(cursor.end, "the data after the last transaction is longer than any interrupted write")
            )
        }
        if written == 0 { return .nothing }
        // The last bytes of a lead may be zeros.
        let end = min(fileByteCount, cursor.end + written + UInt64(FrameLead.byteCount))
        var claimLimit = Self.largestClaimCount
        if try nextLead(behind: cursor, end, claimLimit: &claimLimit) != nil {
            return .damaged(damage(cursor.end, "a transaction does not verify, and later ones follow it"))
        }
        if claimLimit == 0 {
            return .damaged(
                damage(cursor.end, "the bytes after the last transaction are not from an interrupted write")
            )
        }
        // If no frame precedes them, only the copy of the header shows that these bytes belong to this journal.
        let header = generation.header
        let hasFrames = cursor.end > header.framesOffset
        guard hasFrames ? true : try header.isStored(at: header.copyOffset, in: generation.file) else {
            return .damaged(damage(header.copyOffset, "the copy of the header does not verify"))
        }
        return .torn
    }

    /// The number of bytes from `offset` to the last nonzero one; `nil`, without reading, if data extends further than
    /// any writer leaves it. Skips holes.
    private func writtenByteCount(from offset: UInt64, to limit: UInt64) throws(StorageError) -> UInt64? {
        let longest = offset + JournalFormat.longestTailByteCount
        if try generation.file.data(from: longest, to: limit) != nil { return nil }
        var position = offset
        var end = offset
        while let data = try generation.file.data(from: position, to: min(limit, longest)) {
            position = data.lowerBound
            while position < data.upperBound {
                let count = Int(min(256 << 10, data.upperBound - position))
                let bytes = try generation.file.read(at: position, count: count)
                // Another process truncated the file in the meantime.
                if bytes.isEmpty { return end - offset }
                if !bytes.rawSpan.isZero, let last = bytes.lastIndex(where: { $0 != 0 }) {
                    end = position + UInt64(last) + 1
                }
                position += UInt64(bytes.count)
            }
        }
        return end - offset
    }

    /// Limits the cost, since each candidate takes a hash. A torn transaction is noise without the key and yields none.
    private static let largestClaimCount = 1000

    /// The first lead of a later transaction, at `cursor` if its frame is missing, otherwise at a multiple of 8 after
    /// it. Skips holes.
    ///
    /// - Parameters:
    ///   - cursor: where to start.
    ///   - fileByteCount: where to stop.
    ///   - claimLimit: the number of candidates to verify; set to 0 if that many failed to verify.
    /// - Returns: the lead and its offset; `nil` if none verifies.
    /// - Throws: errors of reading the file.
    func nextLead(
        behind cursor: Cursor,
        _ fileByteCount: UInt64,
        claimLimit: inout Int
    ) throws(StorageError) -> (lead: FrameLead, offset: UInt64)? {
        var position = (cursor.end + 1).roundedUp(to: 8)
        var window = ReadWindow(generation.file, limit: fileByteCount, readAhead: 1 << 20)
        if let lead = try lead(at: cursor.end, &window), lead.sequence > cursor.sequence + 1 {
            return (lead, cursor.end)
        }
        var dataEnd = position
        while position + UInt64(FrameLead.byteCount) <= fileByteCount {
            if position >= dataEnd {
                // A lead does not begin with zeros.
                guard let data = try generation.file.data(from: position, to: fileByteCount) else { return nil }
                position = max(position, data.lowerBound & ~7)
                dataEnd = data.upperBound
            }
            let found = try window.load(at: position, count: FrameLead.byteCount, dataEnd: dataEnd)
            guard let at = found else { return nil }
            let span = window.bytes.rawSpan
            var index = at
            while index + FrameLead.byteCount <= span.byteCount {
                if let claimed = FrameLead.claimed(in: span, at: index), claimed.sequence > cursor.sequence {
                    let journal = generation.header.journal
                    let lead = try FrameLead.verified(in: span, at: index, keys: generation.keys, journal: journal)
                    if let lead { return (lead, position + UInt64(index - at)) }
                    claimLimit -= 1
                    if claimLimit == 0 { return nil }
                }
                index += 8
            }
            position += UInt64(index - at)
        }
        return nil
    }

    private func damage(_ offset: UInt64, _ what: String) -> StorageError {
        StorageError(.damaged, path: generation.file.path, detail: "\(what) (byte \(offset))")
    }
}

extension SealedChunks {
    /// The head of a frame.
    init(head lead: FrameLead, of header: JournalHeader) {
        self.init(
            label: .frame,
            journal: header.journal,
            epoch: header.epoch,
            location: lead.sequence,
            size: lead.frameByteCount
        )
    }
}
