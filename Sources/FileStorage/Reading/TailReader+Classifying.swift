// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// The classification of bytes that are not a valid frame.
extension TailReader {
    /// Proofs found among the bytes after a frame.
    struct Evidence {
        /// The copy of the next frame's lead at its end, if it verifies.
        var trailer: FrameLead?
        /// The first lead or trailer of a later frame, and the offset of its lead.
        var later: (lead: FrameLead, offset: UInt64)?
        /// Whether the mark of one of the next transactions was found, which shows that it was acknowledged.
        var hasMark = false
        /// Whether more of the bytes look like leads and trailers than chance makes.
        var hasTooManyClaims = false
    }

    /// Limits the cost, since each claim takes a hash. A torn transaction is noise without the key and yields none.
    static let largestClaimCount = 1000
    /// Classifies the bytes at `cursor`: preallocated space, a write that does not count, or damage.
    ///
    /// - Parameters:
    ///   - cursor: the end of the last valid frame.
    ///   - lead: the lead at the cursor, or what its trailer says in its place, if either verifies.
    ///   - fileByteCount: the length of the file.
    ///   - restByteCount: set to the number of bytes up to the last nonzero one.
    /// - Returns: the classification.
    /// - Throws: errors of reading the file.
    func judge(
        _ cursor: Cursor,
        lead: FrameLead?,
        _ fileByteCount: UInt64,
        restByteCount: inout UInt64
    ) throws(StorageError) -> Rest {
        guard let written = try writtenByteCount(behind: cursor, to: fileByteCount) else {
            restByteCount = fileByteCount - cursor.end
            return .unusable(
                damage(cursor.end, "the data after the last transaction is longer than any interrupted write")
            )
        }
        restByteCount = written
        // A note of a later state and no byte of it: that is an older journal, not a damaged one.
        if written == 0 { return .nothing }
        if let syncedByteCount, syncedByteCount > cursor.end {
            restByteCount = max(restByteCount, min(syncedByteCount, fileByteCount) - cursor.end)
            return .unusable(damage(cursor.end, "a transaction that was durable does not verify"))
        }
        let evidence = try evidence(behind: cursor, fileByteCount)
        if evidence.later != nil {
            return .unusable(damage(cursor.end, "a transaction does not verify, and later ones follow it"))
        }
        if evidence.hasMark {
            return .unusable(damage(cursor.end, "a transaction that was acknowledged does not verify"))
        }
        if evidence.hasTooManyClaims {
            return .unusable(
                damage(cursor.end, "the bytes after the last transaction are not from an interrupted write")
            )
        }
        let end = (lead ?? evidence.trailer).map { cursor.end + $0.frameByteCount }
        if let end, cursor.end + written > end {
            return .unusable(damage(cursor.end, "a transaction does not verify, and more bytes follow it"))
        }
        // If no frame precedes them, only the copy of the header shows that these bytes belong to this journal.
        let header = generation.header
        let hasFrames = cursor.end > header.framesOffset
        guard hasFrames ? true : try header.isStored(at: header.copyOffset, in: generation.file) else {
            return .unusable(damage(header.copyOffset, "the copy of the header does not verify"))
        }
        return try isTorn(cursor, to: end, written: written, fileByteCount) ? .torn : .unproven
    }

    /// Whether part of a write was never written. A disk writes sectors whole and in any order, and those of an
    /// unwritten frame are zeros, which a frame never has: its boxes are sealed, and its trailer ends with a hash.
    ///
    /// - Parameters:
    ///   - cursor: the start of the write.
    ///   - end: its end, if it is known.
    ///   - written: the number of bytes up to the last nonzero one.
    ///   - fileByteCount: the length of the file.
    /// - Returns: true if part of it is missing.
    /// - Throws: errors of reading the file.
    private func isTorn(
        _ cursor: Cursor,
        to end: UInt64?,
        written: UInt64,
        _ fileByteCount: UInt64
    ) throws(StorageError) -> Bool {
        // A mark that does not verify any more is harmless, so it counts as the beginning of a write.
        if end == nil, written <= UInt64(Self.markByteCount) { return true }
        if let end, end > fileByteCount { return true }
        let sought = end ?? min(fileByteCount, cursor.end + max(written, Self.smallestFrameByteCount))
        let mark = try generation.keys.mark(of: cursor.sequence, in: generation.header.journal)
        var offset = cursor.end
        while offset < sought {
            let sectorEnd = min(sought, (offset + 1).roundedUp(to: Self.sectorByteCount))
            let bytes = try generation.file.read(at: offset, count: Int(sectorEnd - offset))
            if Self.isUnwritten(bytes, at: Int(offset - cursor.end), mark) { return true }
            offset = sectorEnd
        }
        // The last bytes of a frame are a hash.
        guard let end else { return false }
        let last: InlineArray<1, UInt64> = try generation.file.words(at: end - 8)
        return last[0] == 0
    }

    /// Whether a sector is zeros, or the mark of the previous transaction, which a frame overwrites. `position` is where
    /// it is in the frame.
    private static func isUnwritten(_ bytes: [UInt8], at position: Int, _ mark: BoxHash) -> Bool {
        let span = bytes.rawSpan
        if span.isZero { return true }
        var index = 0
        while index + 8 <= bytes.count {
            let word = span.uint64(at: index)
            let isMark = position + index == 0 && word == mark.first || position + index == 8 && word == mark.second
            if word != 0, !isMark { return false }
            index += 8
        }
        return span.extracting(index..<bytes.count).isZero
    }

    static let markByteCount = 16
    private static let sectorByteCount: UInt64 = 512
    /// The lead and the sealed head of a frame without operations.
    private static let smallestFrameByteCount = UInt64(FrameLead.byteCount + 72)

    /// Searches the bytes after `cursor` for proofs. Skips holes.
    ///
    /// - Parameters:
    ///   - cursor: the end of the last valid frame.
    ///   - fileByteCount: where to stop.
    ///   - largestClaimCount: the number of candidates to verify.
    ///   - isLimited: whether to stop after the longest tail that a writer leaves.
    /// - Returns: the proofs.
    /// - Throws: errors of reading the file.
    func evidence(
        behind cursor: Cursor,
        _ fileByteCount: UInt64,
        largestClaimCount: Int = largestClaimCount,
        isLimited: Bool = true
    ) throws(StorageError) -> Evidence {
        var search = try EvidenceSearch(behind: cursor, in: generation, largestClaimCount: largestClaimCount)
        let end = isLimited ? min(fileByteCount, cursor.end + JournalFormat.longestTailByteCount) : fileByteCount
        var position = cursor.end
        var dataEnd = position
        var window = ReadWindow(generation.file, limit: end, readAhead: 1 << 20)
        while position + UInt64(Self.markByteCount) <= end, !search.isDone {
            if position >= dataEnd {
                guard let data = try generation.file.data(from: position, to: end) else { break }
                position = max(position, data.lowerBound & ~7)
                dataEnd = data.upperBound
            }
            let wanted = Int(min(UInt64(FrameLead.byteCount), end - position))
            guard let at = try window.load(at: position, count: wanted, dataEnd: dataEnd) else { break }
            let isAtEnd = position + UInt64(window.bytes.count - at) >= end
            position += try search.run(window.bytes, from: at, offset: position, isAtEnd: isAtEnd)
        }
        return search.found
    }

    /// The number of bytes from `cursor` to the last nonzero one, without the mark of the last transaction if nothing
    /// follows it; `nil` if data extends further than any writer leaves it.
    func writtenByteCount(behind cursor: Cursor, to limit: UInt64) throws(StorageError) -> UInt64? {
        let written = try writtenByteCount(from: cursor.end, to: limit)
        guard let written, written <= UInt64(Self.markByteCount) else { return written }
        return try isRoom(at: cursor) ? 0 : written
    }

    /// The number of bytes from `offset` to the last nonzero one; `nil`, without reading, if data extends further than
    /// any writer leaves it. Skips holes.
    func writtenByteCount(from offset: UInt64, to limit: UInt64) throws(StorageError) -> UInt64? {
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
                let written = bytes.rawSpan.byteCountWithoutLastZeros
                if written > 0 { end = position + UInt64(written) }
                position += UInt64(bytes.count)
            }
        }
        return end - offset
    }
}

/// Examines bytes after a frame, at every multiple of 8.
private struct EvidenceSearch {
    private(set) var found = TailReader.Evidence()
    private let cursor: TailReader.Cursor
    private let keys: JournalKeys
    private let journal: JournalID
    private let largestClaimCount: Int
    private var claimCount = 0
    private var marks: [BoxHash] = []

    /// The number of transactions whose marks are sought.
    private static let soughtMarkCount: UInt64 = 4

    init(
        behind cursor: TailReader.Cursor,
        in generation: Generation,
        largestClaimCount: Int
    ) throws(StorageError) {
        self.cursor = cursor
        self.largestClaimCount = largestClaimCount
        keys = generation.keys
        journal = generation.header.journal
        for number in 1...Self.soughtMarkCount {
            marks.append(try keys.mark(of: cursor.sequence + number, in: journal))
        }
    }

    var isDone: Bool { found.later != nil || found.hasTooManyClaims }

    /// Examines `bytes` from index `start` on, which is at file offset `offset`. Leaves a lead that is cut off for the
    /// next call, unless the bytes end with the file.
    ///
    /// - Returns: the number of bytes examined.
    mutating func run(
        _ bytes: [UInt8],
        from start: Int,
        offset: UInt64,
        isAtEnd: Bool
    ) throws(StorageError) -> UInt64 {
        let span = bytes.rawSpan
        var index = start
        while index + TailReader.markByteCount <= bytes.count, !isDone {
            let word = span.uint64(at: index)
            if let edge = FrameLead.Edge(rawValue: UInt32(truncatingIfNeeded: word)) {
                if index + FrameLead.byteCount > bytes.count, !isAtEnd { break }
                try note(edge, in: span, at: index, offset: offset + UInt64(index - start))
            } else if word != 0 {
                noteMark(BoxHash(in: span, at: index))
            }
            index += 8
        }
        return UInt64(index - start)
    }

    private mutating func noteMark(_ hash: BoxHash) {
        for mark in marks where mark.first == hash.first && mark.isEqual(to: hash) { found.hasMark = true }
    }

    private mutating func note(
        _ edge: FrameLead.Edge,
        in span: RawSpan,
        at index: Int,
        offset: UInt64
    ) throws(StorageError) {
        guard let claimed = FrameLead.claimed(edge, in: span, at: index), claimed.sequence > cursor.sequence,
            let start = claimed.start(edge, at: offset), start >= cursor.end
        else { return }
        claimCount += 1
        guard let lead = try FrameLead.verified(edge, in: span, at: index, keys: keys, journal: journal) else {
            if claimCount == largestClaimCount { found.hasTooManyClaims = true }
            return
        }
        if lead.sequence > cursor.sequence + 1 || start > cursor.end {
            found.later = (lead, start)
        } else if edge == .trailer {
            found.trailer = lead
        }
    }
}

extension FrameLead {
    /// The offset of the frame whose lead or trailer is at `offset`.
    fileprivate func start(_ edge: Edge, at offset: UInt64) -> UInt64? {
        if edge == .lead { return offset }
        let end = offset + UInt64(Self.byteCount)
        return end >= frameByteCount ? end - frameByteCount : nil
    }
}
