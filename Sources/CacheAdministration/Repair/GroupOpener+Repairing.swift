// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import GroupRecords
package import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage
package import TokenCaching

extension GroupOpener {
    /// Repairs the journal and the state file of a group, instead of opening it.
    package func repair(isDryRun: Bool) throws(StorageError) -> RepairReport {
        let state = location.state
        do throws(StorageError) {
            return try repairOnce(isDryRun: isDryRun)
        } catch {
            // A migration may have overtaken it. One that runs holds this lock until its state file is the last.
            guard [.notFound, .storageMismatch, .rollbackSuspected].contains(error.code) else { throw error }
            try? location.openDirectory(.readWrite).lock(.keys, until: .after(timeout)).release()
            if location.state == state { throw error }
            return try repair(isDryRun: isDryRun)
        }
    }

    private func repairOnce(isDryRun: Bool) throws(StorageError) -> RepairReport {
        if let summary = try repairByJournal(isDryRun: isDryRun) { return summary }
        let (directory, plan) = try existingGroup(StoragePlanner.forExisting(storage, fallbackUnlocking))
        guard let kind = KnownStorage(plan.kind) else {
            throw StorageError(
                .storageMismatch,
                path: directory.path.string,
                detail: "a group in \(plan.kind.rawValue) cannot be repaired"
            )
        }
        return try kind.repair(with: self, in: directory, plan, isDryRun: isDryRun)
    }

    /// Repairs a group in the keyring.
    func repairKeyring(
        in directory: GroupDirectory,
        _ plan: StoragePlan,
        isDryRun: Bool
    ) throws(StorageError) -> RepairReport {
        let time = WaitingTime(timeout)
        let unlockedKeys = UnlockedKeys()
        let opened = try openKeyringStore(in: directory, plan, time, unlockedKeys: unlockedKeys)
        guard let store = opened else { throw StorageError(.busy) }
        defer { store.close() }
        let codec = RecordCodec(unlockedKeys: unlockedKeys)
        let repair = KeyringRepair(store: store, codec: codec, time: time, isDryRun: isDryRun)
        return try repair.run()
    }

    /// Repairs a group in the encrypted file.
    func repairFile(
        in directory: GroupDirectory,
        _ plan: StoragePlan,
        isDryRun: Bool
    ) throws(StorageError) -> RepairReport {
        let time = WaitingTime(timeout)
        return try withUnlocker(plan) { unlocker throws(StorageError) in
            let repair = GroupRepair(
                directory: directory,
                unlocker: unlocker,
                time: time,
                isDryRun: isDryRun,
                state: plan.state,
                acceptsRollback: acceptsRollback,
                acceptsName: acceptsName,
                others: plan.otherStores
            )
            return try repair.run()
        }
    }

    /// Accepts the existing journal, even if the revision page or the keyring has recorded a newer state, and repairs
    /// the journal if it does not open. An accepted journal is written anew and continues behind the newest transaction
    /// that is known. If the group opens, there is nothing to accept.
    func acceptRollback(isDryRun: Bool) throws(StorageError) -> RepairReport {
        var reading = self
        reading.access = .readOnly
        if let opened = try? reading.open() {
            opened.store.close()
            return try repair(isDryRun: isDryRun)
        }
        var accepting = self
        accepting.acceptsRollback = true
        let repaired = try accepting.repair(isDryRun: isDryRun)
        if !repaired.beginsAnew, !isDryRun { try noteAcceptedRollback() }
        return repaired
    }

    private func noteAcceptedRollback() throws(StorageError) {
        try withFileGroup { directory, unlocker throws(StorageError) in
            if let readOnlyReason = directory.readOnlyReason { throw readOnlyReason }
            let time = WaitingTime(timeout)
            let store = try open(in: directory, unlocker, time)
            defer { store.close() }
            let slots = try store.keySlots
            guard slots.haveSecret(in: .keyring) else { return }
            let rollback = RollbackGuard(directory: directory, unlocker: unlocker)
            let sequence = try store.newestSequence(until: time.deadline)
            try rollback.set(unlocker.unlock(slots, until: time.deadline), sequence, until: time.deadline)
        }
    }
}
