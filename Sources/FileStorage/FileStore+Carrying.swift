// SAFETY: the bytes are copied within the closure that lends them.

package import GroupDirectory
package import RecordStorage
package import Sealing
internal import Synchronization

extension FileStore {
    /// The newest transaction, as of the last refresh or commit.
    package var newestSequence: UInt64 {
        get throws(StorageError) { try withState { $0.sequence } }
    }

    /// Hands over every record with its boxes, as of the last refresh or commit: the partitions in ascending order, each in
    /// one piece.
    ///
    /// - Throws: ``StorageError/Code/damaged`` where a box cannot be read, and what `body` throws.
    package func forEachRecord(_ body: (RelocatedRecord) throws(StorageError) -> Void) throws(StorageError) {
        let (generation, overlay) = try withState { ($0.generation, $0.overlay) }
        var partitions = LivePartitions(of: generation, overlay)
        while let partition = try partitions.next() {
            for record in partition.records {
                let new = NewRecord(
                    tag: record.stored.tag,
                    partition: partition.tag,
                    kind: record.stored.kind,
                    facts: try partition.facts(of: record),
                    secret: try secret(of: record, in: generation),
                    searchTags: record.searchTags
                )
                try body(RelocatedRecord(new, sequence: record.stored.sequence))
            }
        }
    }

    private func secret(of record: JournalRecord, in generation: Generation) throws(StorageError) -> [UInt8] {
        if record.stored.secret.length == 0 { return [] }
        do throws(StorageError) {
            return try generation.withBox(at: record.stored.secret) { box in
                unsafe box.withUnsafeBytes { unsafe Array($0) }
            }
        } catch {
            guard error.code == .tokenGone else { throw error }
            let detail = "the secret of a record was erased, and the record is still there; repair the group first"
            throw StorageError(.damaged, path: generation.file.path, detail: detail)
        }
    }

    /// Puts a journal with these records in the place of whatever bears its name, durably.
    ///
    /// - Parameters:
    ///   - directory: of the group, which nobody else writes to now.
    ///   - keys: that the boxes are sealed under.
    ///   - slots: what opens it.
    ///   - sequence: the newest transaction.
    ///   - deadline: for the writer's lock.
    ///   - fill: is given a function that takes one record after the other, in any order.
    /// - Throws: ``StorageError/Code/full``, ``StorageError/Code/tooLarge``, ``StorageError/Code/indeterminate`` and what
    ///   `fill` throws. Until it is complete nothing bears the name.
    package static func install(
        in directory: GroupDirectory,
        keys: GroupKeys,
        slots: KeySlots,
        sequence: UInt64,
        until deadline: Deadline,
        fill: (@escaping (RelocatedRecord) throws(StorageError) -> Void) throws(StorageError) -> Void
    ) throws(StorageError) {
        let header = JournalHeader(group: keys.uuid, epoch: keys.epoch, keySlots: slots.encoded).next(
            sequence: sequence
        )
        let journalKeys = try JournalKeys(keys)
        let builder = try SnapshotBuilder(in: directory, header: header, keys: journalKeys)
        try fill { carried throws(StorageError) in
            try JournalBatch.check(carried.record)
            try builder.put(carried.record, sequence: carried.sequence)
        }
        let made = try builder.finish(over: nil).header
        try directory.withLock(.writer, until: deadline) { () throws(StorageError) in
            try directory.install(builder.temporary, as: JournalFormat.fileName)
            let note = SyncedLength.note(made.framesOffset, of: made.journal, keys: journalKeys)
            directory.revision.tell(made.baseSequence, note: note)
        }
    }

    /// Removes the journal: its name first, then its content, so that nobody ever finds half of it; no error where there is
    /// none. The caller holds the writer's lock.
    package static func removeJournal(in directory: GroupDirectory) throws(StorageError) {
        var name = JournalFormat.fileName
        do throws(StorageError) {
            let file = try directory.openFile(name, .readingAndWriting)
            let size = try file.currentStatus().identity.size
            // A disk that takes no new name and does not let itself be overwritten must not keep the file there.
            if let retired = try? directory.retire(name) {
                name = retired
                _ = try? HolePuncher(file: file, end: size).erase([0..<size])
            }
        } catch {
            guard error.code == .notFound else { throw error }
        }
        try directory.removeFile(name)
        try directory.sync()
        directory.removeStaleTemporaries()
        _ = try? directory.emptyQuarantine()
        directory.revision.bump()
    }
}
