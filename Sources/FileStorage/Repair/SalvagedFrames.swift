// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// The transactions after a snapshot, applied in order: fully if they verify, otherwise as far as they are readable.
struct SalvagedFrames {
    private(set) var changes = SalvagedChanges()
    private(set) var findings: [JournalFinding] = []
    /// The ranges to quarantine: everything unreadable, and everything after the last transaction.
    private(set) var unreadable: [Range<UInt64>] = []
    /// Transactions that are lost in whole or in part.
    private(set) var lostTransactionCount = 0
    /// The newest known transaction.
    private(set) var sequence: UInt64
    /// Whether part of a possibly unacknowledged transaction was kept.
    private(set) var hasTornRecords = false

    private let generation: Generation
    private let examiner: any RecordExaminer
    private let reader: TailReader
    private let fileByteCount: UInt64

    /// Reads the frames of `generation`, without using its index.
    init(
        of generation: Generation,
        in directory: GroupDirectory,
        fileByteCount: UInt64,
        examiner: any RecordExaminer
    ) throws(StorageError) {
        self.generation = generation
        self.examiner = examiner
        self.fileByteCount = fileByteCount
        sequence = generation.header.baseSequence
        let synced = SyncedLength.noted(of: generation, in: directory)
        reader = TailReader(generation: generation, syncedByteCount: synced)
        try run(synced)
    }

    private mutating func run(_ synced: UInt64?) throws(StorageError) {
        var cursor = TailReader.Cursor(end: generation.header.framesOffset, sequence: sequence)
        if cursor.end > fileByteCount {
            // The file was truncated, so the frames after the snapshot are gone. Only the page may record whether there
            // were any.
            let end = max(synced ?? 0, cursor.end)
            let largest = synced.map { _ in Self.largestCount(cursor.end..<end) }
            if end > cursor.end { sequence += 1 }
            lose(end > cursor.end ? 1 : 0, cursor.end..<end, atMost: largest)
            return
        }
        // Run at least once: even if nothing follows the snapshot, the page may record frames.
        while true {
            let result = try reader.read(from: cursor, fileByteCount: fileByteCount) { changes.apply($0) }
            cursor = result.cursor
            sequence = cursor.sequence
            let rest = cursor.end..<cursor.end + result.restByteCount
            switch result.rest {
            case .nothing: return setAside(from: cursor.end)
            case .torn:
                // If the page gives the durable length, these bytes were never durable.
                let end = synced == nil ? try salvageTorn(cursor, rest) ?? rest.lowerBound : rest.lowerBound
                if end < rest.upperBound {
                    findings.append(JournalFinding(.tornTail, at: end, count: rest.upperBound - end))
                }
                return setAside(from: end)
            case .damaged:
                guard let next = try salvageAndContinue(from: cursor, rest, synced) else { return }
                // Each round must make progress, whatever the file contains.
                guard next.end > cursor.end || next.sequence > cursor.sequence else {
                    throw StorageError(.damaged, path: generation.file.path, detail: "salvage makes no progress")
                }
                cursor = next
            }
        }
    }

    /// Quarantines everything from `end` to the end of the file, which contains no known transaction.
    private mutating func setAside(from end: UInt64) {
        if end < fileByteCount { unreadable.append(end..<fileByteCount) }
    }

    /// Quarantines everything from `end` on, and reports it, because no writer leaves that much.
    private mutating func setAside(excessFrom end: UInt64) throws(StorageError) {
        setAside(from: end)
        guard let data = try generation.file.data(from: end, to: fileByteCount) else { return }
        findings.append(JournalFinding(.excess, at: data.lowerBound, count: fileByteCount - data.lowerBound))
    }

    /// Salvages the unverified bytes at `cursor` and returns the position at which to continue; nil at the end.
    private mutating func salvageAndContinue(
        from cursor: TailReader.Cursor,
        _ rest: Range<UInt64>,
        _ synced: UInt64?
    ) throws(StorageError) -> TailReader.Cursor? {
        if let lead = try lead(at: cursor.end), lead.sequence == cursor.sequence + 1 {
            let end = cursor.end + lead.frameByteCount
            if let frame = try frame(lead, at: cursor.end) {
                // The file ends within its boxes.
                keep(frame)
            } else {
                try salvage(Self.layout(lead, at: cursor.end), cursor.sequence + 1...cursor.sequence + 1)
            }
            sequence = lead.sequence
            return end < fileByteCount ? TailReader.Cursor(end: end, sequence: sequence) : nil
        }
        // A repair may be slow, so verify every candidate.
        var claimLimit = Int.max
        guard let next = try reader.nextLead(behind: cursor, fileByteCount, claimLimit: &claimLimit) else {
            // Bytes past this limit cannot come from a single write.
            let limit = min(rest.upperBound, cursor.end + JournalFormat.longestTailByteCount)
            let hasExcess = limit < rest.upperBound
            let rest = cursor.end..<limit
            if synced ?? 0 <= cursor.end, try isZero(rest) {
                try setAside(excessFrom: limit)
                return nil
            }
            sequence += 1
            let end = max(rest.upperBound.roundedUp(to: 8), min(synced ?? 0, fileByteCount))
            if end > cursor.end, let frame = try frameWithoutLead(cursor, end) {
                keep(frame)
                return frame.end < fileByteCount ? TailReader.Cursor(end: frame.end, sequence: sequence) : nil
            }
            let missing = cursor.end..<max(end, synced ?? 0)
            if end > cursor.end {
                // At least one transaction is missing; the exact number is unknown.
                try salvage(
                    SalvagedFrame.Layout(frame: missing, headByteCount: nil, secretsOffset: nil),
                    sequence...sequence
                )
                changes.lose(LostRecord())
            } else {
                lose(1, missing, atMost: Self.largestCount(missing))
            }
            if hasExcess {
                try setAside(excessFrom: missing.upperBound)
            } else {
                setAside(from: missing.upperBound)
            }
            return nil
        }
        // Continue with the transaction that was found, whatever its sequence.
        let after = TailReader.Cursor(end: next.offset, sequence: next.lead.sequence - 1)
        let gap = cursor.end..<next.offset
        if after.sequence == cursor.sequence {
            // The bytes between them are not a transaction.
            findings.append(JournalFinding(.transaction, at: gap.lowerBound, count: UInt64(gap.count)))
            unreadable.append(gap)
        } else if after.sequence == cursor.sequence + 1, let frame = try frameWithoutLead(cursor, next.offset) {
            keep(frame)
        } else if gap.isEmpty {
            lose(Int(clamping: after.sequence - cursor.sequence), gap, atMost: nil)
        } else {
            let layout = SalvagedFrame.Layout(frame: gap, headByteCount: nil, secretsOffset: nil)
            try salvage(layout, cursor.sequence + 1...after.sequence)
        }
        sequence = after.sequence
        return after
    }

    /// Salvages the last transaction, which may or may not have been acknowledged.
    ///
    /// - Returns: its end; `nil` if no part of it is kept.
    private mutating func salvageTorn(
        _ cursor: TailReader.Cursor,
        _ rest: Range<UInt64>
    ) throws(StorageError) -> UInt64? {
        let layout: SalvagedFrame.Layout
        if let lead = try lead(at: cursor.end), lead.sequence == cursor.sequence + 1 {
            if let frame = try frame(lead, at: cursor.end) { return try keepTorn(frame) }
            layout = Self.layout(lead, at: cursor.end)
        } else if let frame = try frameWithoutLead(cursor, rest.upperBound.roundedUp(to: 8)) {
            return try keepTorn(frame)
        } else {
            let end = rest.upperBound.roundedUp(to: 8)
            layout = SalvagedFrame.Layout(frame: cursor.end..<end, headByteCount: nil, secretsOffset: nil)
        }
        let sequences = cursor.sequence + 1...cursor.sequence + 1
        let frame = try read(layout, sequences)
        guard !frame.records.isEmpty else { return nil }
        hasTornRecords = true
        sequence += 1
        apply(frame, layout, mayBeUnknown: false)
        return layout.frame.upperBound
    }

    /// Keeps a transaction whose head verifies, unless all its puts are missing.
    ///
    /// - Returns: its end; `nil` if it is not kept.
    private mutating func keepTorn(_ frame: JournalFrame) throws(StorageError) -> UInt64? {
        var written = SalvagedChanges()
        written.apply(frame)
        let checker = BoxChecker(file: generation.file, keys: generation.keys)
        var puts = 0
        var sound = 0
        for case .kept(let record) in written.partitions.values.joined().map(\.value) {
            puts += 1
            guard sound == 0, try checker.check(record.stored.facts, record.factsHash).outcome == .sound,
                try checker.check(record.stored.secret, record.secretHash).outcome == .sound
            else { continue }
            sound += 1
        }
        guard puts == 0 || sound > 0 else { return nil }
        hasTornRecords = true
        sequence += 1
        keep(frame)
        return frame.end
    }

    private func isZero(_ range: Range<UInt64>) throws(StorageError) -> Bool {
        var position = range.lowerBound
        while let data = try generation.file.data(from: position, to: range.upperBound) {
            let count = Int(min(256 << 10, data.upperBound - data.lowerBound))
            let bytes = try generation.file.read(at: data.lowerBound, count: count)
            if !bytes.rawSpan.isZero { return false }
            if bytes.isEmpty { return true }
            position = data.lowerBound + UInt64(bytes.count)
        }
        return true
    }

    // MARK: - One transaction

    private mutating func keep(_ frame: JournalFrame) {
        changes.apply(frame)
        // This finding covers the head, which is rewritten; the boxes are checked individually.
        findings.append(JournalFinding(.damagedTransaction, at: frame.offset, count: frame.lead.frameByteCount))
    }

    private mutating func salvage(
        _ layout: SalvagedFrame.Layout,
        _ sequences: ClosedRange<UInt64>
    ) throws(StorageError) {
        apply(try read(layout, sequences), layout, mayBeUnknown: true, count: sequences.count)
    }

    private func read(
        _ layout: SalvagedFrame.Layout,
        _ sequences: ClosedRange<UInt64>
    ) throws(StorageError) -> SalvagedFrame {
        try SalvagedFrame(
            layout,
            sequences: sequences,
            in: generation.file,
            keys: generation.keys,
            examiner: examiner
        )
    }

    private mutating func apply(
        _ frame: SalvagedFrame,
        _ layout: SalvagedFrame.Layout,
        mayBeUnknown: Bool,
        count: Int = 1
    ) {
        changes.apply(frame) { [examiner] in examiner.outlivesRemoval($0) }
        let (start, length) = (layout.frame.lowerBound, UInt64(layout.frame.count))
        let isWhole = frame.hasAllFacts && frame.claims.isComplete && frame.records.allSatisfy(\.isWhole) && count == 1
        findings.append(JournalFinding(isWhole ? .damagedTransaction : .transaction, at: start, count: length))
        if !isWhole { lostTransactionCount += count }
        unreadable += frame.unreadable
        guard !frame.hasAllFacts else { return }
        changes.loseAtMost(frame.largestUnknownCount)
        if mayBeUnknown { changes.lose(LostRecord()) }
    }

    private mutating func lose(_ count: Int, _ range: Range<UInt64>, atMost largest: Int?) {
        lostTransactionCount += count
        findings.append(JournalFinding(.transaction, at: range.lowerBound, count: UInt64(range.count)))
        unreadable.append(range)
        changes.lose(LostRecord())
        changes.loseAtMost(largest)
    }

    // MARK: - Leads and heads

    private func lead(at offset: UInt64) throws(StorageError) -> FrameLead? {
        let bytes = try generation.file.read(at: offset, count: FrameLead.byteCount)
        return try FrameLead.verified(
            in: bytes.rawSpan,
            at: 0,
            keys: generation.keys,
            journal: generation.header.journal
        )
    }

    /// The frame with this lead; `nil` if its head does not verify.
    private func frame(_ lead: FrameLead, at offset: UInt64) throws(StorageError) -> JournalFrame? {
        let start = offset + UInt64(FrameLead.byteCount)
        let sealed = try generation.file.read(at: start, count: Int(lead.headByteCount))
        guard sealed.count == Int(lead.headByteCount) else { return nil }
        do throws(StorageError) {
            let plaintext = try SealedChunks(head: lead, of: generation.header).open(
                sealed.rawSpan,
                key: generation.keys.frame
            )
            return JournalFrame(lead: lead, head: try FrameHead(decoding: plaintext.rawSpan), offset: offset)
        } catch {
            if error.code == .damaged { return nil }
            throw error.at(generation.file.path)
        }
    }

    /// The frame at `cursor` if only its lead is damaged, that is, if its head verifies under a reconstructed lead.
    private func frameWithoutLead(_ cursor: TailReader.Cursor, _ end: UInt64) throws(StorageError) -> JournalFrame? {
        let count = end - cursor.end
        guard count > UInt64(FrameLead.byteCount), count < UInt64(SalvagedFrame.largestByteCount) else { return nil }
        let bytes = try generation.file.read(at: cursor.end, count: Int(count))
        guard bytes.count == Int(count) else { return nil }
        let sealed = bytes.rawSpan.extracting(FrameLead.byteCount..<bytes.count)
        let head = try SealedChunks.openUnverified(sealed, byteCount: nil, key: generation.keys.frame)
        let claimedEnd = ClaimedOperations(head, byteCount: nil).chainEnd
        let lengths: Set<UInt64> = [count, bytes.rawSpan.uint64(at: 8)]
        for headByteCount in [
            bytes.rawSpan.uint32(at: 4), UInt32(SealedChunks.sealedByteCount(plaintextByteCount: claimedEnd)),
        ] {
            guard UInt64(headByteCount) <= count - UInt64(FrameLead.byteCount) else { continue }
            for frameByteCount in lengths where frameByteCount <= count {
                let (sequence, secrets) = (cursor.sequence + 1, UInt64(0))
                var lead = FrameLead(
                    headByteCount: headByteCount,
                    frameByteCount: frameByteCount,
                    sequence: sequence,
                    secretsOffset: secrets
                )
                guard
                    let plaintext = try? SealedChunks(head: lead, of: generation.header)
                        .open(sealed.extracting(0..<Int(headByteCount)), key: generation.keys.frame),
                    let head = try? FrameHead(decoding: plaintext.rawSpan)
                else { continue }
                lead = FrameLead(
                    headByteCount: headByteCount,
                    frameByteCount: frameByteCount,
                    sequence: sequence,
                    secretsOffset: UInt64(FrameLead.byteCount) + UInt64(headByteCount) + head.factsByteCount
                )
                if let frame = JournalFrame(lead: lead, head: head, offset: cursor.end) { return frame }
            }
        }
        return nil
    }

    private static func layout(_ lead: FrameLead, at offset: UInt64) -> SalvagedFrame.Layout {
        SalvagedFrame.Layout(
            frame: offset..<offset + lead.frameByteCount,
            headByteCount: Int(lead.headByteCount),
            secretsOffset: Int(lead.secretsOffset)
        )
    }

    /// The maximum number of records in this many bytes of transactions.
    private static func largestCount(_ range: Range<UInt64>) -> Int {
        range.count / (FrameHead.smallestPutByteCount + BoxWalk.smallestFactsByteCount)
    }
}

extension FrameHead {
    /// The total size of the facts boxes.
    fileprivate var factsByteCount: UInt64 {
        operations.reduce(0) { sum, operation in
            if case .put(let put) = operation { sum + UInt64(put.factsByteCount) } else { sum }
        }
    }
}
