// SPDX-License-Identifier: Apache-2.0

package import FileStorage
package import GroupDirectory
package import RecordStorage
internal import Sealing
internal import SystemPackage

/// Groups that are kept in an encrypted file.
extension GroupOpener {
    func openFile(
        in directory: GroupDirectory,
        _ plan: StoragePlan,
        _ time: WaitingTime
    ) throws(StorageError) -> OpenedGroup? {
        try withUnlocker(plan) { unlocker throws(StorageError) in
            let run = FileGroupOpening(
                directory: directory,
                unlocker: unlocker,
                creates: access == .create,
                acceptsName: acceptsName,
                reason: plan.reason,
                knownState: plan.state,
                knownJournal: plan.journal,
                time: time,
                onStep: onStep
            )
            let store = try run.open()
            try watch(
                store,
                in: directory,
                unlocker: unlocker,
                within: time,
                isPending: plan.state?.isAnchorPending == true
            )
            return OpenedGroup(
                group: location.name.text,
                store: store,
                storage: .file,
                custody: .slots(store, unlocker, location.ownKeyFiles),
                unlockedKeys: unlocker.unlockedKeys,
                directory: directory,
                location: plan.location(in: directory, unlocker.newestKeys)
            )
        }
    }

    /// Rejects a journal that was rolled back, and makes the store record removals in the keyring from now on.
    private func watch(
        _ store: FileStore,
        in directory: GroupDirectory,
        unlocker: KeyUnlocker,
        within time: WaitingTime,
        isPending: Bool
    ) throws(StorageError) {
        let rollback = RollbackGuard(directory: directory, unlocker: unlocker)
        do throws(StorageError) {
            let isPending = isPending && directory.readOnlyReason == nil
            try rollback.check(store, isPending: isPending, until: time.deadline)
        } catch {
            store.close()
            throw error
        }
        store.onRemoval { slots, sequence, deadline in
            guard slots.haveSecret(in: .keyring),
                let keys = try? unlocker.unlock(slots, until: deadline)
            else { return }
            rollback.advance(keys, sequence, until: deadline)
        }
    }

    /// Runs `body` on the folder of a group in the file, with an unlocker for its key slots.
    package func withFileGroup<Result>(
        _ body: (GroupDirectory, KeyUnlocker) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let (directory, plan) = try existingGroup(StoragePlanner.forExisting(storage, fallbackUnlocking))
        guard plan.kind == .file else {
            throw StorageError(
                .storageMismatch,
                path: directory.path.string,
                detail: "the group is kept in \(StorageLocation.Kind(plan.kind).phrase)"
            )
        }
        return try withUnlocker(plan) { unlocker throws(StorageError) in try body(directory, unlocker) }
    }

    /// Opens the journal as it is, whatever the state file says.
    package func open(
        in directory: GroupDirectory,
        _ unlocker: KeyUnlocker,
        _ time: WaitingTime
    ) throws(StorageError) -> FileStore {
        try unlocker.restarting(time) { () throws(StorageError) in
            try FileStore.open(in: directory, acceptsName: acceptsName, until: time.deadline) {
                slots,
                end throws(StorageError) in try unlocker.unlock(slots, until: end)
            }
        }
    }

    package func withUnlocker<Result>(
        _ plan: StoragePlan,
        _ body: (KeyUnlocker) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try Self.check(plan.materials)
        let unlocker = unlocker(plan.materials, creation: plan.creation)
        do throws(StorageError) {
            return try body(unlocker)
        } catch {
            throw unlocker.takeRefusal() ?? error
        }
    }
}
