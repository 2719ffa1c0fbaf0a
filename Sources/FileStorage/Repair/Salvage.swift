// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage

/// Finds the parts of a damaged journal that verify, and reports the rest.
final class Salvage {
    /// Receives a record that verifies, with its boxes.
    typealias Keeper = (JournalRecord, PartitionTag, _ facts: [UInt8], _ secret: [UInt8]) throws(StorageError) -> Void

    let header: JournalHeader
    let keys: JournalKeys
    private let directory: GroupDirectory
    private let file: CheckedFile
    private let checker: BoxChecker
    private let examiner: any RecordExaminer
    private let byteCount: UInt64
    private(set) var report = JournalRepairReport()
    /// The parts of the file to quarantine.
    private(set) var unkept: UnkeptBytes
    /// The newest known transaction.
    private(set) var sequence: UInt64
    /// Lost records that may have recorded a sign-out.
    private(set) var lost: Set<LostRecord> = []

    /// Prepares to salvage `file`, in which `salvaged` was found.
    init(
        _ file: CheckedFile,
        in directory: GroupDirectory,
        _ salvaged: SalvagedHeader,
        examiner: any RecordExaminer
    ) throws(StorageError) {
        self.file = file
        self.directory = directory
        self.examiner = examiner
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
        examiner.begin()
        let generation = try openGeneration()
        let frames = try SalvagedFrames(
            of: generation.generation,
            in: directory,
            fileByteCount: byteCount,
            examiner: examiner
        )
        report.findings += frames.findings
        for range in frames.unreadable { unkept.add(range) }
        report.lostTransactionCount = frames.lostTransactionCount
        report.hasTornRecords = frames.hasTornRecords
        report.largestUnknownLossCount = frames.changes.largestUnknownCount
        sequence = frames.sequence
        for lost in frames.changes.lost { note(lost) }
        var touched = Set(frames.changes.partitions.keys)
        if !frames.changes.hidesSnapshot {
            var blocks = SalvagedBlocks(
                of: generation.generation,
                hasIndex: generation.hasIndex,
                fileByteCount: byteCount,
                examiner: examiner
            )
            var secrets = SnapshotSecrets(in: header, fileByteCount: byteCount)
            while let block = try blocks.next() {
                touched.remove(block.partition)
                secrets.note(block)
                noteUnknownRows(of: block, frames.changes)
                try check(block.partition, block: block.records, changes: frames.changes, keep: keep)
            }
            for finding in blocks.findings { note(finding) }
            let lostSecrets = secrets.ofLostRows(
                orIf: !blocks.unknown.isEmpty,
                besides: frames.changes.removedLocations
            )
            for range in lostSecrets { unkept.add(range) }
            if !blocks.unknown.isEmpty {
                note(LostRecord())
                loseAtMost(blocks.largestUnknownCount)
            }
        }
        for partition in touched { try check(partition, block: [], changes: frames.changes, keep: keep) }
        report.findings.sort {
            ($0.offset, $0.byteCount, $0.part.rawValue) < ($1.offset, $1.byteCount, $1.part.rawValue)
        }
    }

    /// Checks the records of one partition. `block` contains those of the snapshot.
    private func check(
        _ partition: PartitionTag,
        block: [JournalRecord],
        changes: SalvagedChanges,
        keep: Keeper
    ) throws(StorageError) {
        let (kept, lostTags) = changes.records(of: partition, over: block) { [examiner] in examiner.outlivesRemoval($0)
        }
        report.lostRecordCount += lostTags.count
        for record in kept { try check(record, in: partition, changes: changes, keep: keep) }
    }

    private func noteUnknownRows(of block: SalvagedBlocks.Block, _ changes: SalvagedChanges) {
        guard block.unknownRowCount > 0 else { return }
        note(LostRecord(partition: block.partition))
        if changes.partitions[block.partition] == nil, !changes.emptied.contains(block.partition) {
            report.lostRecordCount += block.unknownRowCount
        } else {
            // Later frames may have replaced or removed some of them.
            loseAtMost(block.unknownRowCount)
        }
    }

    private func loseAtMost(_ count: Int) {
        report.largestUnknownLossCount = report.largestUnknownLossCount.map { $0 + count }
    }

    private func note(_ record: LostRecord) {
        if examiner.mayHaveRecordedSignOut(record) { lost.insert(record) }
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
        _ record: JournalRecord,
        in partition: PartitionTag,
        changes: SalvagedChanges,
        keep: Keeper
    ) throws(StorageError) {
        let facts = try checker.check(record.stored.facts, record.factsHash)
        let secret = try checker.check(record.stored.secret, record.secretHash)
        if changes.isRemoved(record, in: partition, isErased: secret.outcome == .erased) {
            report.erasedRecordCount += 1
            return
        }
        if facts.outcome != .sound { note(finding(.facts, record.stored.facts)) }
        if record.stored.secret == .unknown {
            note(finding(.unplacedSecret, record.stored.facts))
        } else if secret.outcome == .damaged {
            note(finding(.secret, record.stored.secret))
        }
        if secret.outcome == .erased { note(finding(.erasedSecret, record.stored.secret)) }
        guard facts.outcome != .sound || secret.outcome != .sound else {
            report.keptRecordCount += 1
            return try keep(record, partition, facts.bytes, secret.bytes)
        }
        report.lostRecordCount += 1
        note(LostRecord(partition: partition, tag: record.stored.tag, kind: record.stored.kind))
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
