// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Reads the frames of a journal from a known position, and classifies what follows the last valid one. Opening,
/// writing, verifying, compacting and repairing a journal all use it, so that they agree on what is damage.
struct TailReader {
    let generation: Generation
    /// What the revision page knows about the group; `nil` if it has no valid note.
    let note: SyncNote?

    /// What follows the last valid frame.
    enum Rest: Sendable {
        case nothing
        /// A write that was interrupted, or is still in progress: nothing shows that it was acknowledged, and part of
        /// it was never written.
        case torn
        /// A write that is complete but does not verify, although nothing shows that it was acknowledged. It does not
        /// count.
        case unproven
        /// Damage (``StorageError/Code/damaged``) to what was acknowledged, or an older state than the page knows
        /// (``StorageError/Code/rollbackSuspected``). The journal must not be used without a repair.
        case unusable(StorageError)
    }

    /// A point between two frames.
    struct Cursor: Hashable, Sendable {
        /// The end of the previous frame.
        var end: UInt64
        /// The sequence of the previous frame.
        var sequence: UInt64
    }

    /// The beginning of a valid frame as it was read: its lead and its head's nonce, in memory order. The nonce is
    /// unique.
    struct Last: Sendable {
        let offset: UInt64
        let start: InlineArray<9, UInt64>
    }

    /// The position at which reading ended, and what follows it.
    struct Result: Sendable {
        /// The position after the last valid frame.
        var cursor: Cursor
        /// That frame, if one was read.
        var last: Last?
        var rest = Rest.nothing
        /// The number of bytes after that frame that do not count, up to the last nonzero one.
        var restByteCount: UInt64 = 0
    }

    /// The synced length of this file according to the page.
    var syncedByteCount: UInt64? { note?.byteCount(of: generation.header.journal) }

    /// Passes every valid frame to `body`, in order.
    func read(
        from start: Cursor,
        fileByteCount: UInt64,
        _ body: (JournalFrame) throws(StorageError) -> Void
    ) throws(StorageError) -> Result {
        var result = Result(cursor: start)
        var lookedAgainAt: UInt64?
        // The window is small because most frames are read only up to their head.
        var window = ReadWindow(generation.file, limit: fileByteCount, readAhead: 4 << 10)
        while result.cursor.end < fileByteCount {
            let offset = result.cursor.end
            var lead = try lead(at: offset, &window)
            if let lead, lead.sequence != result.cursor.sequence + 1 {
                result.rest = .unusable(damage(offset, "a transaction is missing or occurs twice"))
                result.restByteCount =
                    try writtenByteCount(from: offset, to: fileByteCount) ?? (fileByteCount - offset)
                return result
            }
            var isLeadDamaged = false
            if lead == nil {
                if try isRoom(at: offset, after: result.cursor.sequence, &window) {
                    // In this boot a write becomes visible from its start, so only preallocated space follows.
                    if let note, note.isOfThisBoot, syncedByteCount == offset { break }
                } else if let trailer = try evidence(behind: result.cursor, fileByteCount).trailer {
                    lead = trailer
                    isLeadDamaged = true
                }
            }
            if let lead, let (frame, start) = try frame(lead, at: offset, fileByteCount: fileByteCount, &window) {
                var frame = frame
                frame.isLeadDamaged = isLeadDamaged
                try body(frame)
                result.last = Last(offset: offset, start: start)
                result.cursor = Cursor(end: frame.end, sequence: lead.sequence)
                continue
            }
            result.rest = try judge(result.cursor, lead: lead, fileByteCount, restByteCount: &result.restByteCount)
            guard case .unusable = result.rest, lookedAgainAt != offset else { break }
            // A writer may have completed this frame, and perhaps further ones, during the read: read again from here.
            lookedAgainAt = offset
            window = ReadWindow(generation.file, limit: fileByteCount, readAhead: 4 << 10)
            result.rest = .nothing
        }
        if case .unusable = result.rest { return result }
        if result.cursor.end > fileByteCount {
            result.rest = .unusable(damage(fileByteCount, "the file ends before its transactions"))
            return result
        }
        if let note, note.sequence > result.cursor.sequence {
            result.rest = .unusable(rollback(result.cursor, note))
        }
        return result
    }

    /// Whether no transaction was begun at `cursor`: the bytes there are zeros, or the mark of the previous one.
    func isRoom(at cursor: Cursor) throws(StorageError) -> Bool {
        let words: InlineArray<6, UInt64> = try generation.file.words(at: cursor.end)
        return try generation.following(words.rawSpan, after: cursor.sequence) != .bytes
    }

    private func isRoom(
        at offset: UInt64,
        after sequence: UInt64,
        _ window: inout ReadWindow
    ) throws(StorageError) -> Bool {
        try following(offset, after: sequence, &window) != .bytes
    }

    private func following(
        _ offset: UInt64,
        after sequence: UInt64,
        _ window: inout ReadWindow
    ) throws(StorageError) -> Generation.Following {
        let count = Int(min(UInt64(FrameLead.byteCount), window.limit - min(window.limit, offset)))
        guard let at = try window.load(at: offset, count: count) else { return .nothing }
        return try generation.following(window.bytes.rawSpan.extracting(at..<at + count), after: sequence)
    }

    /// The frame at `offset` and its first bytes; `nil` if it is not valid.
    private func frame(
        _ lead: FrameLead,
        at offset: UInt64,
        fileByteCount: UInt64,
        _ window: inout ReadWindow
    ) throws(StorageError) -> (JournalFrame, start: InlineArray<9, UInt64>)? {
        guard lead.frameByteCount <= fileByteCount - offset, let head = try head(lead, at: offset, &window),
            let at = try window.load(at: offset, count: 72),
            let frame = JournalFrame(lead: lead, head: head, offset: offset, in: generation.header)
        else { return nil }
        let start: InlineArray<9, UInt64> = window.words(at: at)
        // Only the last frame can be unacknowledged, because a writer begins a frame only once the previous one is
        // durable, in space that is durably zero.
        if (syncedByteCount ?? 0) >= frame.end { return (frame, start) }
        switch try following(frame.end, after: lead.sequence, &window) {
        case .mark: return (frame, start)
        case .nothing:
            if try boxesVerify(frame, &window) { return (frame, start) }
            if try writtenByteCount(from: frame.end, to: fileByteCount) == 0 { return nil }
        case .bytes: break
        }
        // A writer may have replaced this frame, if it was torn, after it was read, and appended the following frame to
        // its replacement.
        let again: InlineArray<9, UInt64> = try generation.file.words(at: offset)
        return again.indices.allSatisfy { again[$0] == start[$0] } ? (frame, start) : nil
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
    ) throws(StorageError) -> FrameHead? {
        let offset = offset + UInt64(FrameLead.byteCount)
        guard let at = try window.load(at: offset, count: Int(lead.headByteCount)) else { return nil }
        let sealed = window.bytes.rawSpan.extracting(at..<at + Int(lead.headByteCount))
        do throws(StorageError) {
            let chunks = SealedChunks(head: lead, of: generation.header)
            let plaintext = try chunks.open(sealed, key: generation.keys.frame)
            return try FrameHead(decoding: plaintext.rawSpan)
        } catch {
            if error.code == .damaged { return nil }
            throw error.at(generation.file.path)
        }
    }

    /// Whether every box of a frame matches the hash in the head.
    private func boxesVerify(_ frame: JournalFrame, _ window: inout ReadWindow) throws(StorageError) -> Bool {
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

    func damage(_ offset: UInt64, _ what: String) -> StorageError {
        StorageError(.damaged, path: generation.file.path, detail: "\(what) (byte \(offset))")
    }

    private func rollback(_ cursor: Cursor, _ note: SyncNote) -> StorageError {
        let missing = note.sequence - cursor.sequence
        return StorageError(
            .rollbackSuspected,
            path: generation.file.path,
            detail: "the journal ends at transaction \(cursor.sequence), but transaction \(note.sequence) was saved: "
                + (missing == 1 ? "1 is missing" : "\(missing) are missing") + ", which may have signed accounts out"
        )
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
