// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage

/// Reads and verifies a whole journal without changing it.
struct Verification {
    let directory: GroupDirectory
    let keyChain: KeyChain
    /// Receives the bytes read and the total; returns false to cancel the verification.
    let progress: (UInt64, UInt64) -> Bool

    private struct Run {
        let generation: Generation
        let checker: BoxChecker
        var report: JournalVerificationReport
        var frames: FrameCheck
        var doneByteCount: UInt64 = 0
    }

    /// Verifies the journal. If it finds damage, it checks again under a shared lock that keeps writers out.
    ///
    /// - Throws: errors that prevent opening the journal at all, except damage; ``StorageError/Code/cancelled`` if
    ///   `progress` returned false.
    func run(until deadline: Deadline) throws(StorageError) -> JournalVerificationReport {
        for _ in 0..<KeyChain.largestAttemptCount {
            let (file, header) = try directory.withJournal(.reading) { file throws(StorageError) in
                (file, try SalvagedHeader.find(in: file, keyChain: keyChain, until: deadline))
            }
            let first = try look(at: file, header)
            if first.isSound { return first }
            let second = try directory.withLock(.writer, .shared, until: deadline) { () throws(StorageError) in
                try file.isNamed(in: directory) ? try look(at: file, header) : nil
            }
            if let second { return second }
        }
        throw KeyChain.replacedRepeatedly(in: directory)
    }

    private func look(at file: CheckedFile, _ salvaged: SalvagedHeader) throws(StorageError)
        -> JournalVerificationReport
    {
        var report = JournalVerificationReport()
        report.byteCount = try file.currentStatus().identity.size
        report.findings += salvaged.findings
        let header = salvaged.header
        let keys = salvaged.keys
        let index: SnapshotIndex
        do throws(StorageError) {
            index = try Generation.readIndex(file, header: header, keys: keys)
        } catch {
            guard error.code == .damaged else { throw error }
            report.findings.append(JournalFinding(.index, at: header.indexOffset, count: header.indexByteCount))
            return report
        }
        let generation = Generation(file: file, header: header, keys: keys, index: index)
        var run = Run(
            generation: generation,
            checker: BoxChecker(file: file, keys: keys),
            report: report,
            frames: FrameCheck(of: generation)
        )
        let overlay = try readFrames(&run)
        try readPartitions(overlay, &run)
        if let finding = try generation.gapFinding(fileByteCount: run.report.byteCount) {
            run.report.findings.append(finding)
        }
        return run.report
    }

    private func readFrames(_ run: inout Run) throws(StorageError) -> Overlay {
        let generation = run.generation
        var overlay = Overlay()
        var frameCount = 0
        let start = TailReader.Cursor(end: generation.header.framesOffset, sequence: generation.header.baseSequence)
        let note = SyncNote(of: generation, in: directory)
        let result = try TailReader(generation: generation, note: note)
            .read(from: start, fileByteCount: run.report.byteCount) { frame throws(StorageError) in
                _ = overlay.apply(frame, noting: false)
                frameCount += 1
                try run.frames.check(frame)
            }
        run.report.frameCount = frameCount
        run.report.findings += run.frames.findings
        let end = result.cursor.end
        let rest = result.restByteCount
        switch result.rest {
        case .nothing: break
        case .torn, .unproven: run.report.findings.append(JournalFinding(result.rest, at: end, count: rest))
        case .unusable(let error):
            guard error.code == .damaged else { throw error }
            run.report.findings.append(JournalFinding(.transaction, at: end, count: rest))
        }
        run.report.byteCount = end + rest
        try advance(&run, by: rest)
        return overlay
    }

    private func readPartitions(_ overlay: Overlay, _ run: inout Run) throws(StorageError) {
        var partitions = LivePartitions(of: run.generation, overlay)
        while let tag = partitions.peek {
            let partition: LivePartition
            do throws(StorageError) {
                guard let next = try partitions.next() else { break }
                partition = next
            } catch {
                guard error.code == .damaged, let row = run.generation.index.row(of: tag) else { throw error }
                let block = run.generation.index[row]
                run.report.findings.append(
                    JournalFinding(
                        .partition,
                        at: block.blockOffset,
                        count: UInt64(block.blockByteCount),
                        partition: tag
                    )
                )
                partitions.skip()
                continue
            }
            if !partition.records.isEmpty { run.report.partitionCount += 1 }
            run.report.recordCount += partition.records.count
            for record in partition.records { try check(record, in: tag, &run) }
        }
        run.report.findings += run.frames.replaced
    }

    private func check(_ record: JournalRecord, in partition: PartitionTag, _ run: inout Run) throws(StorageError) {
        let stored = record.stored
        let facts = try run.checker.check(stored.facts, record.factsHash).outcome
        let secret = try run.checker.check(stored.secret, record.secretHash).outcome
        if facts != .sound { add(.facts, stored.facts) }
        if secret != .sound { add(secret == .erased ? .erasedSecret : .secret, stored.secret) }
        try advance(&run, by: record.byteCount)

        func add(_ part: JournalFinding.Part, _ location: BoxLocation) {
            run.frames.forget(location)
            run.report.findings.append(
                JournalFinding(
                    part,
                    at: location.offset,
                    count: UInt64(location.length),
                    partition: partition,
                    record: stored.tag
                )
            )
        }
    }

    private func advance(_ run: inout Run, by byteCount: UInt64) throws(StorageError) {
        run.doneByteCount = min(run.report.byteCount, run.doneByteCount + byteCount)
        if !progress(run.doneByteCount, run.report.byteCount) { throw SnapshotBuilder.cancelled }
    }
}
