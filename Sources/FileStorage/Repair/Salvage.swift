// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage

/// Finds the parts of a damaged journal that verify, and reports the rest: every block and every transaction whose list
/// of records verifies, record by record.
final class Salvage {
    /// Receives a record that verifies, with its boxes.
    typealias Keeper = (JournalRecord, PartitionTag, _ facts: [UInt8], _ secret: [UInt8]) throws(StorageError) -> Void

    let header: JournalHeader
    let keys: JournalKeys
    private let directory: GroupDirectory
    private let file: CheckedFile
    private let checker: BoxChecker
    private let byteCount: UInt64
    private(set) var report = JournalRepairReport()
    /// The parts of the file to quarantine.
    private(set) var unkept: UnkeptBytes
    /// The newest known transaction.
    private(set) var sequence: UInt64
    private var frameCheck: FrameCheck?
    /// Set if the journal is older than the page knows.
    private(set) var rollback: StorageError?

    /// Prepares to salvage `file`, in which `salvaged` was found.
    init(
        _ file: CheckedFile,
        in directory: GroupDirectory,
        _ salvaged: SalvagedHeader
    ) throws(StorageError) {
        self.file = file
        self.directory = directory
        byteCount = try file.currentStatus().identity.size
        unkept = UnkeptBytes(of: file, end: byteCount)
        header = salvaged.header
        keys = salvaged.keys
        sequence = header.baseSequence
        checker = BoxChecker(file: file, keys: keys)
        for finding in salvaged.findings { note(finding) }
    }

    /// Passes every record that verifies to `keep`.
    func run(_ keep: Keeper) throws(StorageError) {
        let generation = try openGeneration()
        let frames = try SalvagedFrames(of: generation.generation, in: directory, fileByteCount: byteCount)
        report.findings += frames.findings + frames.check.findings
        frameCheck = frames.check
        for range in frames.unreadable { unkept.add(range) }
        report.lostTransactionCount = frames.lostTransactionCount
        report.missingTransactionCount = frames.missingTransactionCount
        report.hasUnknownLoss = frames.lostTransactionCount > 0
        sequence = frames.sequence
        rollback = frames.rollback
        var touched = Set(frames.overlay.partitions.keys)
        if !frames.overlay.hidesSnapshot {
            var blocks = SalvagedBlocks(
                of: generation.generation,
                hasIndex: generation.hasIndex,
                fileByteCount: byteCount
            )
            var knownSecrets = frames.removedLocations.map(\.range)
            while let block = try blocks.next() {
                touched.remove(block.partition)
                knownSecrets += block.records.map(\.stored.secret.range)
                let changed = frames.overlay.partitions[block.partition]
                try check(block.partition, PartitionView.merge(block.records, changed), keep)
            }
            for finding in blocks.findings { note(finding) }
            report.lostRecordCount += blocks.lostRecordCount
            if blocks.hasUnknownLoss { report.hasUnknownLoss = true }
            if !blocks.findings.isEmpty { setAsideSecrets(besides: knownSecrets) }
        }
        for partition in touched.sorted() {
            try check(partition, PartitionView.merge([], frames.overlay.partitions[partition]), keep)
        }
        for finding in frameCheck?.replaced ?? [] { note(finding) }
        if let finding = try generation.generation.gapFinding(fileByteCount: byteCount) { note(finding) }
        report.findings.sort {
            ($0.offset, $0.byteCount, $0.part.rawValue) < ($1.offset, $1.byteCount, $1.part.rawValue)
        }
    }

    /// Quarantines the secrets of lost blocks, which are somewhere among those of the snapshot.
    private func setAsideSecrets(besides known: [Range<UInt64>]) {
        var position = header.boxesOffset
        let end = header.blocksOffset
        for range in (known.filter { !$0.isEmpty && $0.upperBound <= end } + [end..<end]).merged() {
            if position < range.lowerBound { unkept.add(position..<range.lowerBound) }
            position = max(position, range.upperBound)
        }
    }

    private func openGeneration() throws(StorageError) -> (generation: Generation, hasIndex: Bool) {
        do throws(StorageError) {
            let index = try Generation.readIndex(file, header: header, keys: keys)
            return (Generation(file: file, header: header, keys: keys, index: index), true)
        } catch {
            guard error.code == .damaged else { throw error }
            note(JournalFinding(.index, at: header.indexOffset, count: header.indexByteCount))
            return (Generation(file: file, header: header, keys: keys, index: .empty), false)
        }
    }

    private func check(
        _ partition: PartitionTag,
        _ records: [JournalRecord],
        _ keep: Keeper
    ) throws(StorageError) {
        for record in records { try check(record, in: partition, keep) }
    }

    private func check(
        _ record: JournalRecord,
        in partition: PartitionTag,
        _ keep: Keeper
    ) throws(StorageError) {
        let facts = try checker.check(record.stored.facts, record.factsHash)
        let secret = try checker.check(record.stored.secret, record.secretHash)
        frameCheck?.forget(record.stored.facts)
        frameCheck?.forget(record.stored.secret)
        // A secret is overwritten only by a transaction that removed it, which may be among the lost ones.
        if secret.outcome == .erased, report.lostTransactionCount > 0 {
            report.erasedRecordCount += 1
            return
        }
        if facts.outcome != .sound { note(finding(.facts, record.stored.facts)) }
        if secret.outcome == .damaged { note(finding(.secret, record.stored.secret)) }
        if secret.outcome == .erased { note(finding(.erasedSecret, record.stored.secret)) }
        guard facts.outcome != .sound || secret.outcome != .sound else {
            report.keptRecordCount += 1
            return try keep(record, partition, facts.bytes, secret.bytes)
        }
        report.lostRecordCount += 1
        // Quarantine an intact box too, because it may still be useful.
        if facts.outcome == .sound { setAside(record.stored.facts) }
        if secret.outcome == .sound { setAside(record.stored.secret) }

        func finding(_ part: JournalFinding.Part, _ location: BoxLocation) -> JournalFinding {
            JournalFinding(
                part,
                at: location.offset,
                count: UInt64(location.length),
                partition: partition,
                record: record.stored.tag
            )
        }
    }

    private func note(_ finding: JournalFinding) {
        report.findings.append(finding)
        if finding.part != .erasedSecret { setAside(finding.offset, finding.byteCount) }
    }

    private func setAside(_ location: BoxLocation) { setAside(location.offset, UInt64(location.length)) }

    private func setAside(_ offset: UInt64, _ count: UInt64) {
        let start = min(offset, byteCount)
        unkept.add(start..<start + min(byteCount - start, count))
    }
}

extension BoxLocation {
    fileprivate var range: Range<UInt64> { offset..<offset + UInt64(length) }
}
