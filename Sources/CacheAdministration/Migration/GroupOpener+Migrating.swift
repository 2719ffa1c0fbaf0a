internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import TokenCaching

extension GroupOpener {
    /// Migrates the group to another kind of store.
    ///
    /// - Parameters:
    ///   - choice: the keyring, or the file with the ways to unlock it.
    ///   - progress: is passed the progress in partitions, and can have everything undone.
    ///   - onStep: for tests: is called at each step; an error that it returns ends the call as if the process were
    ///     killed.
    /// - Returns: what was migrated.
    /// - Throws: errors of both stores; the group is then where it was.
    func migrate(
        to choice: StorageChoice,
        progress: ProgressHandler?,
        onStep: ((MigrationStep) -> StorageError?)?
    ) throws(StorageError) -> MigrationReport {
        let target: StoreReference
        var creation: [KeyMaterial] = []
        switch choice {
        case .keyring(let collection): target = StoreReference(.keyring, collection: collection)
        case .file(let unlocking):
            creation = try KeyMaterial.all(in: unlocking)
            try Self.check(creation)
            target = StoreReference(.file, collection: creation.collection)
        case .automatic, .memory:
            throw StorageError(.invalidRequest, detail: "a group goes to the keyring or the file")
        }
        var ways: [FileUnlocking] = [.keyFile, .keyring] + fallbackUnlocking
        if case .file(let unlocking) = storage { ways = [unlocking] }
        var plan = StoragePlan(kind: .file, reason: "migrated", collection: nil)
        for way in ways { plan.materials += try KeyMaterial.all(in: way) }
        plan.creation = creation
        let directory = try openDirectory(.readWrite)
        return try withUnlocker(plan, in: directory) { unlocker throws(StorageError) in
            let state = try directory.readState()
            unlocker.note(state)
            if keyringAccess.policy == .allowed {
                do throws(StorageError) {
                    try unlockKeyring([target.collection, state?.collection])
                } catch {
                    // What must be removed there can wait.
                    if state?.storage != target.storage { throw error }
                }
            }
            let migration = Migration(
                directory: directory,
                access: keyringAccess,
                time: WaitingTime(timeout),
                ownKeyFiles: location.ownKeyFiles,
                unlocker: unlocker,
                target: target,
                reason: "it was taken there on request",
                passphraseCost: passphraseCost,
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
