package import GroupDirectory
package import RecordStorage
package import Sealing

/// Decides whether a journal is to be repaired, in two steps: by its keys, then by the newest sequence that is left of it.
///
/// The first step is taken before the lock, and may ask a keyring.
package typealias JournalJudge = (KeySlots, GroupKeys) -> (_ newestSequence: UInt64) throws(StorageError) -> Void

extension FileStore {
    /// Makes a group usable again: keeps every record that verifies in its journal, sets everything else aside in the
    /// quarantine, and puts a new journal in the place of the old one. Where lost records may have kept somebody out, that is
    /// written anew. A state file that cannot be read, or does not fit the journal and is to be replaced, is set aside and
    /// written anew from the journal. Never called by opening.
    ///
    /// - Parameters:
    ///   - directory: of the group.
    ///   - deadline: for the writer's lock.
    ///   - dryRun: only tells what would be done.
    ///   - state: the state file to be replaced where it does not fit the journal, as nobody with the keys vouches for it.
    ///   - examiner: tells records by their boxes; used under the lock, by this thread alone.
    ///   - costs: how often somebody was asked for something by now, in order to unlock keys.
    ///   - judge: is given the key slots and keys that were found, before the lock is taken; what it hands back is given the
    ///     newest sequence that is left, and refuses a journal by throwing.
    ///   - unlock: as in ``open(in:until:unlock:)``.
    /// - Returns: what was found and done; where nothing is damaged nothing is done. `nil` where not even a header is left:
    ///   then nothing can be saved.
    /// - Throws: ``StorageError/Code/unsupportedVersion``, ``StorageError/Code/foreign`` where the state file is of another
    ///   group and is not to be replaced, and what `unlock` and `judge` throw. The group is then as it was.
    package static func repair(
        in directory: GroupDirectory,
        until deadline: Deadline,
        dryRun: Bool,
        replacing state: StoreState? = nil,
        examiner: any RecordExaminer,
        costs: () -> Int = { 0 },
        judge: JournalJudge = { _, _ in { _ in } },
        unlock: @escaping @Sendable (KeySlots, Deadline) throws(StorageError) -> GroupKeys
    ) throws(StorageError) -> RepairReport? {
        let keyChain = KeyChain(unlock: unlock)
        for _ in 0..<KeyChain.largestAttemptCount {
            let file = try directory.openFile(JournalFormat.fileName, dryRun ? .reading : .readingAndWriting)
            // Without the lock: it may ask a person.
            let found = try SalvagedHeader.findIfLeft(in: file, keyChain: keyChain, until: deadline, costs: costs)
            guard let header = found else { return nil }
            let judgeNewest = judge(try header.header.decodedKeySlots(), header.keys.group)
            let lock = try directory.lock(.writer, dryRun ? .shared : .exclusive, until: deadline)
            guard try file.isNamed(in: directory) else { continue }
            let repair = GroupRestoration(
                directory: directory,
                file: file,
                header: header,
                examiner: examiner,
                replacedState: state,
                judgeNewest: judgeNewest
            )
            return dryRun ? try repair.plan() : try repair.run(under: lock)
        }
        throw KeyChain.restless(directory)
    }

    /// The keys of the journal, by its header or the copy of that; `nil` where neither is left. Whatever else is damaged.
    package static func keysOfJournal(
        in directory: GroupDirectory,
        until deadline: Deadline,
        costs: () -> Int = { 0 },
        unlock: @escaping @Sendable (KeySlots, Deadline) throws(StorageError) -> GroupKeys
    ) throws(StorageError) -> GroupKeys? {
        let file = try directory.openFile(JournalFormat.fileName, .reading)
        let keyChain = KeyChain(unlock: unlock)
        return try SalvagedHeader.findIfLeft(in: file, keyChain: keyChain, until: deadline, costs: costs)?.keys.group
    }
}
