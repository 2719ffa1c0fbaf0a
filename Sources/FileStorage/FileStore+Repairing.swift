// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory
package import RecordStorage
package import Sealing

/// Decides in two steps whether a journal may be repaired: by its keys, then by the newest sequence that was found in
/// it.
///
/// The first step runs before the lock is taken, and may ask a keyring.
package typealias JournalJudge = (KeySlots, GroupKeys) -> (_ newestSequence: UInt64) throws(StorageError) -> Void

extension FileStore {
    /// Makes a group usable again: keeps every record of its journal that verifies, moves everything else to the
    /// quarantine, and installs a new journal. If lost records may have recorded a sign-out, it is recorded again. A
    /// state file that cannot be read, or does not fit the journal and is to be replaced, is moved to the quarantine
    /// and rewritten from the journal. Opening a group never calls this.
    ///
    /// - Parameters:
    ///   - directory: the group's folder.
    ///   - deadline: for the writer's lock.
    ///   - dryRun: only reports what would be done.
    ///   - state: the state file to replace if it does not fit the journal, because no holder of the keys authenticated
    ///     it.
    ///   - examiner: identifies records by their boxes; used under the lock, by this thread only.
    ///   - costs: how often the user or a service was asked so far in order to unlock keys.
    ///   - judge: is passed the key slots and keys found, before the lock is taken; the function that it returns is
    ///     passed the newest sequence found, and refuses a journal by throwing.
    ///   - unlock: as in ``open(in:until:unlock:)``.
    /// - Returns: what was found and done; an undamaged journal is not changed. `nil` if no header is left, in which
    ///   case nothing can be recovered.
    /// - Throws: ``StorageError/Code/unsupportedVersion``, ``StorageError/Code/foreign`` if the state file belongs to
    ///   another group and is not to be replaced, and the errors of `unlock` and `judge`. The group is then unchanged.
    package static func repair(
        in directory: GroupDirectory,
        until deadline: Deadline,
        dryRun: Bool,
        replacing state: StoreState? = nil,
        examiner: any RecordExaminer,
        costs: () -> Int = { 0 },
        judge: JournalJudge = { _, _ in { _ in } },
        unlock: @escaping @Sendable (KeySlots, Deadline) throws(StorageError) -> GroupKeys
    ) throws(StorageError) -> JournalRepairReport? {
        let keyChain = KeyChain(unlock: unlock)
        for _ in 0..<KeyChain.largestAttemptCount {
            let file = try directory.openFile(JournalFormat.fileName, dryRun ? .reading : .readingAndWriting)
            // Done without the lock, because it may ask the user.
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

    /// The keys of the journal, from its header or the header's copy, regardless of other damage; `nil` if neither is
    /// left.
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
