// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory
package import RecordStorage
package import Sealing

/// Decides in two steps whether a journal may be repaired: by its keys, then by the newest sequence found in it.
///
/// The first step runs before the lock is taken, and may ask a keyring.
///
/// The second step returns the newest sequence that another place knows.
package typealias JournalJudge = (KeySlots, GroupKeys) -> (_ newestSequence: UInt64) throws(StorageError) -> UInt64

extension FileStore {
    /// Makes a group usable again: keeps what verifies (blocks and transactions whose list of records does, record by
    /// record), quarantines everything else, and installs a new journal with a new id. A
    /// state file that is unreadable, or equals `state` and does not match the journal, is quarantined and rewritten
    /// from the journal. Opening a group never calls this.
    ///
    /// - Parameters:
    ///   - directory: the group's folder.
    ///   - deadline: for the writer's lock.
    ///   - dryRun: only reports what would be done.
    ///   - acceptsName: whether to repair a journal that was made for a group of another name.
    ///   - state: a state file that no key holder has authenticated; it is replaced if it does not match the journal.
    ///   - acceptsRollback: whether to accept a journal that is older than the revision page knows. The new journal
    ///     continues behind the newest transaction that is known.
    ///   - costs: the number of times the user or a service has been asked for keys so far.
    ///   - judge: receives the key slots and keys found, before the lock is taken. The function it returns receives the
    ///     newest sequence found, and throws to refuse the journal.
    ///   - unlock: as in ``open(in:until:unlock:)``.
    /// - Returns: the findings and actions; an undamaged journal is not changed. `nil` if neither header is left, in
    ///   which case no record can be recovered.
    /// - Throws: ``StorageError/Code/unsupportedVersion``, ``StorageError/Code/foreign`` if the state file belongs to
    ///   another group and is not `state`, and the errors of `unlock` and `judge`. The group is then unchanged.
    package static func repair(
        in directory: GroupDirectory,
        until deadline: Deadline,
        dryRun: Bool,
        acceptsName: Bool = false,
        replacing state: StoreState? = nil,
        acceptsRollback: Bool = false,
        costs: () -> Int = { 0 },
        judge: JournalJudge = { _, _ in { _ in 0 } },
        unlock: @escaping @Sendable (KeySlots, Deadline) throws(StorageError) -> GroupKeys
    ) throws(StorageError) -> JournalRepairReport? {
        let keyChain = KeyChain(of: acceptsName ? nil : directory.name, unlock: unlock)
        for _ in 0..<KeyChain.largestAttemptCount {
            let mode: FileMode = dryRun ? .reading : .readingAndWriting
            // Unlock before taking the lock, because unlocking may prompt the user.
            let (file, found) = try directory.withJournal(mode) { file throws(StorageError) in
                let found = try SalvagedHeader.findIfLeft(in: file, keyChain: keyChain, until: deadline, costs: costs)
                return (file, found)
            }
            guard let header = found else {
                if try !file.isNamed(in: directory) { continue }
                return nil
            }
            let judgeNewest = judge(try header.header.decodedKeySlots(), header.keys.group)
            let lock = try directory.lock(.writer, dryRun ? .shared : .exclusive, until: deadline)
            guard try file.isNamed(in: directory) else { continue }
            let repair = JournalRepair(
                directory: directory,
                file: file,
                header: header,
                replacedState: state,
                judgeNewest: judgeNewest,
                acceptsRollback: acceptsRollback
            )
            return dryRun ? try repair.plan() : try repair.run(under: lock)
        }
        throw KeyChain.replacedRepeatedly(in: directory)
    }

    /// The keys of the journal, from its header or the header's copy, regardless of other damage; `nil` if neither is
    /// left.
    package static func keysOfJournal(
        in directory: GroupDirectory,
        until deadline: Deadline,
        costs: () -> Int = { 0 },
        unlock: @escaping @Sendable (KeySlots, Deadline) throws(StorageError) -> GroupKeys
    ) throws(StorageError) -> GroupKeys? {
        let keyChain = KeyChain(of: directory.name, unlock: unlock)
        return try directory.withJournal(.reading) { file throws(StorageError) in
            let found = try SalvagedHeader.findIfLeft(in: file, keyChain: keyChain, until: deadline, costs: costs)
            if found == nil, try !file.isNamed(in: directory) { throw KeyChain.replacedRepeatedly(in: directory) }
            return found?.keys.group
        }
    }
}
