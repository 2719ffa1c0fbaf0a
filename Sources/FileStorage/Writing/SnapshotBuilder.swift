// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Builds a new journal from records added in any order and from the live records of an old journal.
///
/// Secret boxes are written to their final location at once; the rest of a record waits in a ``SpillFile``. So a
/// transaction of any size needs only a few megabytes of memory.
final class SnapshotBuilder {
    private let writer: SnapshotWriter
    private let spill: SpillFile
    private let keys: JournalKeys
    /// The locations in the old file of secret boxes that the transaction erases.
    private(set) var erasedLocations: [BoxLocation] = []
    private var hasRows = false

    var temporary: TemporaryFile { writer.temporary }

    /// Begins a journal with the group, slots, fields and sequence of `header`.
    init(in directory: GroupDirectory, header: JournalHeader, keys: JournalKeys) throws(StorageError) {
        writer = try SnapshotWriter(in: directory, header: header, keys: keys)
        spill = SpillFile(in: directory)
        self.keys = keys
    }

    /// Adds or replaces a record.
    func put(_ record: NewRecord, sequence: UInt64) throws(StorageError) {
        let stored = StoredRecord(
            tag: record.tag,
            kind: record.kind,
            sequence: sequence,
            facts: BoxLocation(offset: 0, length: UInt32(record.facts.count)),
            secret: .none
        )
        let hashes = try keys.boxHashes(of: record)
        let journalRecord = JournalRecord(
            stored: stored,
            factsHash: hashes.facts,
            secretHash: hashes.secret,
            searchTags: record.searchTags
        )
        try put(journalRecord, in: record.partition, facts: record.facts, secret: record.secret)
    }

    /// Adds or replaces a record whose hashes are known, and sets its locations.
    func put(
        _ record: JournalRecord,
        in partition: PartitionTag,
        facts: [UInt8],
        secret: [UInt8]
    ) throws(StorageError) {
        let placed = record.moved(to: try writer.appendSecret(secret.rawSpan))
        hasRows = true
        try spill.append(to: SpillFile.bucket(of: partition)) { bytes in
            SpilledRow.append(placed, in: partition, facts: facts.rawSpan, to: &bytes)
        }
    }

    /// Removes a record of the old journal, or one put earlier.
    func remove(_ removal: Removal) throws(StorageError) {
        hasRows = true
        try spill.append(to: SpillFile.bucket(of: removal.partition)) { bytes in
            SpilledRow.append(removal, to: &bytes)
        }
    }

    /// Copies what was not replaced or removed from the old journal, and makes the new journal durable, but not yet
    /// visible.
    ///
    /// `old` is `nil` if nothing is to be copied. `isCancelled` is polled periodically.
    func finish(
        over old: (generation: Generation, overlay: Overlay)?,
        isCancelled: () -> Bool = { false }
    ) throws(StorageError) -> (header: JournalHeader, relocation: Relocation) {
        var relocation = Relocation()
        if let old {
            let live = try liveSecrets(old, isCancelled)
            for range in live {
                let start = try writer.copySecrets(
                    from: old.generation.file,
                    at: range.lowerBound,
                    count: UInt64(range.count),
                    isCancelled: isCancelled
                )
                relocation.append(range, to: start)
                if isCancelled() { throw Self.cancelled }
            }
        }
        var deadByteCount: UInt64 = 0
        var partitions = old.map { LivePartitions(of: $0.generation, $0.overlay) }
        var chunk = SnapshotChunk()
        for bucket in 0..<SpillFile.bucketCount {
            let spilled = SpilledBucket(hasRows ? try spill.load(bucket) : [])
            deadByteCount += spilled.superseded.reduce(0) { $0 + UInt64($1.length) }
            var next = 0
            while true {
                let oldTag = partitions?.peek.flatMap { SpillFile.bucket(of: $0) == bucket ? $0 : nil }
                let newTag = next < spilled.count ? spilled.partition(next) : nil
                guard let tag = [oldTag, newTag].compactMap(\.self).min() else { break }
                let partition = oldTag == tag ? try partitions?.next() : nil
                let start = next
                while next < spilled.count, spilled.partition(next) == tag { next += 1 }
                try append(tag, old: partition, numbers: start..<next, of: spilled, relocation: relocation, to: &chunk)
                if isCancelled() { throw Self.cancelled }
                if chunk.isFull {
                    try writer.append(chunk)
                    chunk = SnapshotChunk(like: chunk)
                }
            }
        }
        spill.close()
        try writer.append(chunk)
        return (try writer.finish(deadByteCount: deadByteCount), relocation)
    }

    /// The live secret boxes in the old file, joined into runs. Also records the boxes to overwrite.
    private func liveSecrets(
        _ old: (generation: Generation, overlay: Overlay),
        _ isCancelled: () -> Bool
    ) throws(StorageError) -> [Range<UInt64>] {
        var ranges: [Range<UInt64>] = []
        var partitions = LivePartitions(of: old.generation, old.overlay)
        for bucket in 0..<SpillFile.bucketCount {
            guard let tag = partitions.peek, SpillFile.bucket(of: tag) == bucket else { continue }
            let rows = SpilledBucket(hasRows ? try spill.load(bucket) : [])
            var start = 0
            while let tag = partitions.peek, SpillFile.bucket(of: tag) == bucket {
                guard let partition = try partitions.next() else { break }
                while start < rows.count, rows.partition(start) < tag { start += 1 }
                var replaced: Set<RecordTag> = []
                while start < rows.count, rows.partition(start) == tag {
                    let row = rows.row(start)
                    replaced.insert(row.tag)
                    if row.erasesSecret { erasedLocations += partition.secrets(of: row.tag) }
                    start += 1
                }
                for record in partition.records where record.stored.secret.length > 0 {
                    if replaced.contains(record.stored.tag) { continue }
                    let location = record.stored.secret
                    ranges.append(location.offset..<location.offset + UInt64(location.length))
                }
                if isCancelled() { throw Self.cancelled }
            }
        }
        return ranges.merged()
    }

    /// Adds one partition: its new records, and the live records of the old journal.
    private func append(
        _ tag: PartitionTag,
        old: LivePartition?,
        numbers: Range<Int>,
        of spilled: SpilledBucket,
        relocation: Relocation,
        to chunk: inout SnapshotChunk
    ) throws(StorageError) {
        let rows = numbers.map { spilled.row($0) }
        var records: [LiveRecord] = []
        records.reserveCapacity(rows.count + (old?.records.count ?? 0))
        for row in rows {
            guard let record = row.record else { continue }
            records.append(LiveRecord(record: record, newFacts: row.facts))
        }
        if let old {
            let replaced = Set(rows.map(\.tag))
            for record in old.records where !replaced.contains(record.stored.tag) {
                guard let secret = relocation.location(of: record.stored.secret) else {
                    throw StorageError(.damaged, detail: "a secret box overlaps another one")
                }
                records.append(LiveRecord(record: record.moved(to: secret), newFacts: nil))
            }
            // Rows are already in order.
            records.sort { $0.record.stored.tag < $1.record.stored.tag }
        }
        guard !records.isEmpty else { return }
        try chunk.append(tag, records: records.lazy.map(\.record)) { facts throws(StorageError) in
            for record in records {
                if let range = record.newFacts {
                    spilled.appendFacts(at: range, to: &facts)
                } else if let old {
                    facts += try old.facts(of: record.record)
                }
            }
        }
    }

    /// A record of the new journal.
    private struct LiveRecord {
        var record: JournalRecord
        /// The range of its facts box in the bytes of the bucket; `nil` if it is in the old journal.
        var newFacts: Range<Int>?
    }

    static let cancelled = StorageError(.cancelled)
}

extension JournalRecord {
    /// The record with its secret box at another location.
    func moved(to secret: BoxLocation) -> JournalRecord {
        var record = self
        record.stored = StoredRecord(
            tag: stored.tag,
            kind: stored.kind,
            sequence: stored.sequence,
            facts: stored.facts,
            secret: secret
        )
        return record
    }
}
