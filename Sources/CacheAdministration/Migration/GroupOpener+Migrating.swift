// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import TokenCaching

extension GroupOpener {
    /// Migrates the group to another kind of store.
    ///
    /// - Parameters:
    ///   - choice: the keyring, or the encrypted file with the ways to unlock it.
    ///   - progress: is called with the number of migrated partitions, and can cancel, which undoes everything.
    ///   - onStep: for tests: is called at each step; an error that it returns ends the call as if the process were
    ///     killed.
    /// - Returns: what was migrated.
    /// - Throws: errors of both stores; the group then stays in its old store.
    func migrate(
        to choice: StorageChoice,
        progress: ProgressHandler?,
        onStep: ((MigrationStep) -> StorageError?)?
    ) throws(StorageError) -> MigrationReport {
        let target = try choice.migrationTarget()
        return try migrate(to: target.store, creation: target.creation, progress: progress, onStep: onStep)
    }

    /// Migrates the group to a store whose kind is in `backends`.
    ///
    /// - Parameters:
    ///   - target: the store to migrate to.
    ///   - creation: the secrets that will open it there, if it has key slots.
    ///   - backends: the known kinds of store.
    ///   - progress: receives the progress and can cancel the migration.
    ///   - onStep: for tests.
    /// - Returns: what was migrated.
    /// - Throws: errors of both stores.
    func migrate(
        to target: StoreReference,
        creation: [KeyMaterial],
        backends: [any MovableBackend] = .all,
        progress: ProgressHandler? = nil,
        onStep: ((MigrationStep) -> StorageError?)? = nil
    ) throws(StorageError) -> MigrationReport {
        var ways = FileUnlocking.foundByLibrary() + fallbackUnlocking
        if let unlocking = storage.unlocking { ways = [unlocking] }
        var plan = StoragePlan(kind: target.storage, reason: "migrated", collection: nil)
        for way in ways { plan.materials += try KeyMaterial.all(in: way) }
        plan.creation = creation
        let directory = try location.openDirectory(.readWrite)
        return try withUnlocker(plan) { unlocker throws(StorageError) in
            let state = try directory.readState()
            if keyringAccess.policy == .allowed {
                do throws(StorageError) {
                    try unlockKeyring([target.collection, state?.collection])
                } catch {
                    // Removing remains from the locked keyring can wait.
                    if state?.storage != target.storage { throw error }
                }
            }
            let resources = MigrationResources(
                directory: directory,
                access: keyringAccess,
                time: WaitingTime(timeout),
                ownKeyFiles: location.ownKeyFiles,
                unlocker: unlocker
            )
            let migration = Migration(
                resources: resources,
                backends: backends,
                target: target,
                reason: "it was migrated on request",
                progress: progress,
                onStep: onStep
            )
            return try migration.run()
        }
    }

    /// Shows the unlock prompt before taking any lock.
    private func unlockKeyring(_ collections: Set<String?>) throws(StorageError) {
        for collection in collections {
            let client = SecretServiceClient(try keyringAccess.location(collection))
            defer { client.close() }
            do throws(SecretServiceError) {
                _ = try client.probe(until: keyringAccess.end(.after(timeout)), prompts: .allowed)
            } catch {
                throw StorageError(error)
            }
        }
    }
}
