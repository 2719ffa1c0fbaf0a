package import GroupDirectory
package import RecordStorage
package import Sealing

extension FileStore {
    /// Makes a group usable again: keeps every record that verifies in its journal, sets everything else aside in the
    /// quarantine, and puts a new journal in the place of the old one. Where lost records may have kept somebody out, that is
    /// written anew. A state file that cannot be read is set aside and written anew from the journal. Never called by
    /// opening.
    ///
    /// - Parameters:
    ///   - directory: of the group.
    ///   - deadline: for the writer's lock.
    ///   - dryRun: only tells what would be done.
    ///   - examiner: tells records by their boxes; used under the lock, by this thread alone.
    ///   - unlock: as in ``open(in:until:unlock:)``.
    /// - Returns: what was found and done; where nothing is damaged nothing is done. `nil` where not even a header is left:
    ///   then nothing can be saved.
    /// - Throws: ``StorageError/Code/unsupportedVersion`` and what `unlock` throws. The group is then as it was.
    package static func repair(
        in directory: GroupDirectory,
        until deadline: Deadline,
        dryRun: Bool,
        examiner: any RecordExaminer,
        unlock: @escaping @Sendable (KeySlots, Deadline) throws(StorageError) -> GroupKeys
    ) throws(StorageError) -> RepairReport? {
        let keyChain = KeyChain(unlock: unlock)
        for _ in 0..<KeyChain.largestAttemptCount {
            let file = try directory.openFile(JournalFormat.fileName, dryRun ? .reading : .readingAndWriting)
            // Without the lock: it may ask a person.
            guard let header = try SalvagedHeader.findIfLeft(in: file, keyChain: keyChain, until: deadline) else {
                return nil
            }
            let lock = try directory.lock(.writer, dryRun ? .shared : .exclusive, until: deadline)
            guard try file.isNamed(in: directory) else { continue }
            let repair = GroupRestoration(directory: directory, file: file, header: header, examiner: examiner)
            return dryRun ? try repair.plan() : try repair.run(under: lock)
        }
        throw KeyChain.restless(directory)
    }
}
