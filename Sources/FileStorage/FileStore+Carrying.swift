// SPDX-License-Identifier: Apache-2.0

// SAFETY: the bytes are copied within the closure that lends them.

package import GroupDirectory
package import RecordStorage
package import Sealing
internal import Synchronization

extension FileStore {
    package func newestSequence(until deadline: Deadline) throws(StorageError) -> UInt64 {
        try withState { $0.sequence }
    }

    /// Passes every record with its boxes to `body`, as of the last refresh or commit, grouped by partition in
    /// ascending order.
    ///
    /// - Throws: ``StorageError/Code/damaged`` if a box cannot be read, and the errors of `body`.
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
            throw StorageError(
                .damaged,
                path: generation.file.path,
                detail: "the secret of a record was erased, but the record still exists",
                advice: "Run cachetool repair first"
            )
        }
    }

    /// Installs a journal with these records durably, replacing any existing one, and announces nothing, because the group
    /// is not kept in it yet. The caller holds the writer's lock.
    ///
    /// - Parameters:
    ///   - directory: the group's folder.
    ///   - keys: the keys that the boxes are sealed under.
    ///   - slots: the key slots of the new journal.
    ///   - sequence: the newest transaction.
    ///   - fill: receives a function, to call with every record, in any order.
    /// - Throws: ``StorageError/Code/full``, ``StorageError/Code/tooLarge``, ``StorageError/Code/indeterminate`` and
    ///   the errors of `fill`. An incomplete journal is never installed.
    package static func install(
        in directory: GroupDirectory,
        keys: GroupKeys,
        slots: KeySlots,
        sequence: UInt64,
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
        _ = try builder.finish(over: nil)
        let old = try? directory.openFile(JournalFormat.fileName, .readingAndWriting)
        try directory.install(builder.temporary, as: JournalFormat.fileName)
        if let old { erase(old) }
    }

    /// Removes the journal: its name before its content, so that no process finds a half-erased file. A missing journal
    /// is not an error. The caller holds the writer's lock.
    package static func removeJournal(in directory: GroupDirectory) throws(StorageError) {
        var name = JournalFormat.fileName
        do throws(StorageError) {
            let file = try directory.openFile(name, .readingAndWriting)
            // Remove the file even if the disk can neither rename it nor overwrite its content.
            if let retired = try? directory.retire(name) {
                name = retired
                erase(file)
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

    /// Overwrites the content of a journal that other processes can no longer find by name. If overwriting fails, the
    /// content stays until the file is removed.
    package static func erase(_ file: CheckedFile) { try? file.erase() }
}
