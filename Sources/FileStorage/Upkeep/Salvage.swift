internal import GroupDirectory
internal import RecordStorage

/// Finds in a damaged journal what verifies, part by part, and tells what does not.
final class Salvage {
    /// Takes a record that verifies, with its boxes.
    typealias Keeper = (JournalRecord, PartitionTag, _ facts: [UInt8], _ secret: [UInt8]) throws(StorageError) -> Void

    let header: JournalHeader
    let keys: JournalKeys
    private let directory: GroupDirectory
    private let file: CheckedFile
    private let checker: BoxChecker
    private let byteCount: UInt64
    private(set) var report = RepairReport()
    /// Parts of the file that do not verify.
    private(set) var unusable: [Range<UInt64>] = []
    /// The newest transaction that is known of.
    private(set) var sequence: UInt64

    /// Begins with a header that was found in `file`.
    init(_ file: CheckedFile, in directory: GroupDirectory, _ salvaged: SalvagedHeader) throws(StorageError) {
        self.file = file
        self.directory = directory
        byteCount = try file.currentStatus().identity.size
        header = salvaged.header
        keys = salvaged.keys
        sequence = header.baseSequence
        checker = BoxChecker(file: file, keys: keys)
        for finding in salvaged.findings { note(finding) }
    }

    /// Hands every record that verifies to `keep`.
    func run(_ keep: Keeper) throws(StorageError) {
        let generation = try openGeneration()
        let frames = try SalvagedFrames(of: generation.generation, in: directory, fileByteCount: byteCount)
        for finding in frames.findings { note(finding) }
        report.lostTransactionCount = frames.lostTransactionCount
        sequence = frames.sequence
        var touched = frames.overlay.partitions
        if !frames.overlay.hidesSnapshot {
            var blocks = SalvagedBlocks(
                of: generation.generation,
                hasIndex: generation.hasIndex,
                fileByteCount: byteCount
            )
            while let block = try blocks.next() {
                let changed = touched.removeValue(forKey: block.partition)
                for record in PartitionView.merge(block.records, changed) {
                    try check(record, in: block.partition, keep)
                }
            }
            for finding in blocks.findings { note(finding) }
        }
        for (partition, changed) in touched {
            for record in PartitionView.merge([], changed) { try check(record, in: partition, keep) }
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

    private func check(_ record: JournalRecord, in partition: PartitionTag, _ keep: Keeper) throws(StorageError) {
        let facts = try checker.check(record.stored.facts, record.factsHash)
        let secret = try checker.check(record.stored.secret, record.secretHash)
        if facts.outcome != .sound { note(finding(.facts, record.stored.facts)) }
        if secret.outcome == .damaged { note(finding(.secret, record.stored.secret)) }
        if secret.outcome == .erased { note(finding(.erasedSecret, record.stored.secret)) }
        switch (facts.outcome, secret.outcome) {
        case (.sound, .sound):
            report.keptRecordCount += 1
            try keep(record, partition, facts.bytes, secret.bytes)
        case (_, .erased):
            report.erasedRecordCount += 1
        default:
            report.lostRecordCount += 1
            // What is whole of it may be of use to somebody.
            if facts.outcome == .sound {
                setAside(record.stored.facts.offset, count: UInt64(record.stored.facts.length))
            }
            if secret.outcome == .sound {
                setAside(record.stored.secret.offset, count: UInt64(record.stored.secret.length))
            }
        }

        func finding(_ part: JournalFinding.Part, _ place: BoxPlace) -> JournalFinding {
            JournalFinding(
                part,
                at: place.offset,
                count: UInt64(place.length),
                partition: partition,
                record: record.stored.tag
            )
        }
    }

    private func note(_ finding: JournalFinding) {
        report.findings.append(finding)
        if finding.part != .erasedSecret {
            setAside(finding.offset, count: finding.byteCount)
        }
    }

    private func setAside(_ offset: UInt64, count: UInt64) {
        let start = min(offset, byteCount)
        let range = start..<start + min(byteCount - start, count)
        if range.isEmpty { return }
        unusable.append(range)
        report.quarantinedByteCount += UInt64(range.count)
    }

    /// Puts what does not verify into the quarantine, each part in a file that begins with its place.
    func quarantine() throws(StorageError) {
        report.quarantinedByteCount = 0
        for range in Puncher.merged(unusable) {
            var offset = range.lowerBound
            // Holes are nothing to keep.
            while let data = try file.data(from: offset, to: range.upperBound) {
                offset = data.lowerBound
                let bytes = try file.read(at: offset, count: Int(min(data.upperBound - offset, 64 << 20)))
                if bytes.isEmpty { break }
                report.quarantinedFiles.append(try directory.quarantine(bytes.raw, label: "journal-\(offset)"))
                report.quarantinedByteCount += UInt64(bytes.count)
                offset += UInt64(bytes.count)
            }
        }
    }
}
