// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Reseals every record of a journal into a new journal.
struct KeyReplacement {
    let generation: Generation
    let overlay: Overlay
    let builder: SnapshotBuilder

    /// - Throws: the errors of `reseal`; ``StorageError/Code/damaged`` if a box cannot be read, because it would be
    ///   lost with the old keys.
    func run(_ reseal: Reseal) throws(StorageError) -> JournalHeader {
        var partitions = LivePartitions(of: generation, overlay)
        while let partition = try partitions.next() {
            for record in partition.records {
                let facts = try partition.facts(of: record)
                let (newFacts, newSecret) = try resealed(record, in: partition.tag, facts: facts, reseal: reseal)
                let new = NewRecord(
                    tag: record.stored.tag,
                    partition: partition.tag,
                    kind: record.stored.kind,
                    facts: newFacts,
                    secret: newSecret,
                    searchTags: record.searchTags
                )
                try JournalBatch.check(new)
                try builder.put(new, sequence: record.stored.sequence)
            }
        }
        return try builder.finish(over: nil).header
    }

    private func resealed(
        _ record: JournalRecord,
        in partition: PartitionTag,
        facts: [UInt8],
        reseal: Reseal
    ) throws(StorageError) -> (facts: [UInt8], secret: [UInt8]) {
        let stored = record.stored
        if stored.secret.length == 0 { return try reseal(stored, partition, facts.rawSpan, nil) }
        do throws(StorageError) {
            return try generation.withBox(at: stored.secret) { secret throws(StorageError) in
                try reseal(stored, partition, facts.rawSpan, secret)
            }
        } catch {
            guard error.code == .tokenGone else { throw error }
            throw StorageError(
                .damaged,
                path: generation.file.path,
                detail: "the secret of a record was erased, but the record still exists",
                advice: "Run cachetool repair first"
            )
        }
    }
}
