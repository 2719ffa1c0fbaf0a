// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory
package import RecordStorage
package import Sealing
internal import SystemPackage

extension SecretServiceStore {
    /// The keys of the group.
    package var groupKeys: GroupKeys { keys.group }

    /// Opens a group whose records are in the keyring.
    ///
    /// - Parameters:
    ///   - directory: the group's folder.
    ///   - location: the keyring.
    ///   - deadline: for the whole call.
    ///   - prompts: whether the keyring may prompt the user to unlock it.
    ///   - limits: the limits of the store.
    ///   - resealing: reseals records when keys change.
    ///   - learn: receives the keys of each epoch, now and later, before the store returns any record of that epoch.
    /// - Returns: the store. No partition has been read yet.
    /// - Throws: ``StorageError/Code/notFound`` if the group does not exist, ``StorageError/Code/keyringItemMissing``
    ///   if the folder has the group but the keyring lacks its key, ``StorageError/Code/groupElsewhere`` if the group
    ///   in the keyring belongs to another folder, ``StorageError/Code/storageMismatch``, and errors of the keyring.
    package static func open(
        in directory: GroupDirectory,
        _ location: SecretServiceLocation = SecretServiceLocation(),
        until deadline: Deadline,
        prompts: PromptPolicy = .never,
        limits: SecretServiceLimits = .standard,
        resealing: KeyringResealing = .records,
        learn: @escaping @Sendable (GroupKeys) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> SecretServiceStore {
        let items = try KeyringItems(SecretServiceClient(location), directory.name)
        let state = try directory.readState()
        if let state, state.storage != .keyring {
            throw StorageError(.storageMismatch, path: directory.path.string, detail: "the group is not in the keyring")
        }
        let found = try items.keyItems(until: deadline, prompts: prompts)
        guard let state else {
            if found.isEmpty {
                if try hasList(in: directory) { throw noState(in: directory) }
                throw StorageError(.notFound, path: directory.path.string)
            }
            throw StorageError(
                .groupElsewhere,
                path: directory.path.string,
                detail: "the keyring has a group of this name that belongs to another folder"
            )
        }
        guard let keys = KeyItems(found, of: state.group) else {
            if state.phase == .creating { throw StorageError(.notFound, path: directory.path.string) }
            guard found.isEmpty else {
                throw StorageError(
                    .groupElsewhere,
                    path: directory.path.string,
                    detail: "the keyring has a group of this name that belongs to another folder"
                )
            }
            throw StorageError(
                .keyringItemMissing,
                path: directory.path.string,
                detail:
                    "the keyring has no key for a group of this name",
                advice:
                    "Rename the folder back if it was renamed, or run cachetool repair --adopt --collection NAME if the "
                    + "group is in another collection; if the key is lost, so is the group: move the folder away to "
                    + "start over"
            )
        }
        let chain = try KeyringKeyChain(keys, learn: learn)
        let store = SecretServiceStore(directory, items: items, chain: chain, resealing: resealing, limits: limits)
        // Ignore a failure: the group is usable without it.
        if !keys.isFinal || !keys.superseded.isEmpty, store.readOnlyReason == nil {
            try? store.resumeRekey(until: deadline)
        }
        _ = try store.move(until: deadline)
        return store
    }

    /// Whether the folder has a list of a group in the keyring. A group that is being created already has a state file.
    package static func hasList(in directory: GroupDirectory) throws(StorageError) -> Bool {
        try directory.identity(of: listName) != nil
    }

    /// The error for a folder with a list of items but no state file, so that the collection of the items is unknown.
    package static func noState(in directory: GroupDirectory) -> StorageError {
        StorageError(
            .keyringItemMissing,
            path: directory.path(of: GroupDirectory.FileName.state),
            detail:
                "the state file is missing, and the default collection of the keyring does not have the group",
            advice:
                "Run cachetool repair --adopt --collection NAME to adopt it from another collection, or move the folder "
                + "away to start over"
        )
    }

    /// Creates a new group in the keyring. The state file is in phase `creating` until the key item and the list exist.
    ///
    /// - Throws: ``StorageError/Code/exists`` if the group already exists, in this folder or in another.
    package static func create(
        in directory: GroupDirectory,
        _ location: SecretServiceLocation = SecretServiceLocation(),
        keys: GroupKeys,
        reason: String,
        until deadline: Deadline,
        prompts: PromptPolicy = .never,
        limits: SecretServiceLimits = .standard,
        resealing: KeyringResealing = .records,
        learn: @escaping @Sendable (GroupKeys) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> SecretServiceStore {
        let items = try KeyringItems(SecretServiceClient(location), directory.name)
        try items.run(until: deadline, prompts: prompts) { calls throws(SecretServiceError) in try calls.unlock() }
        let lock = try directory.lock(.writer, until: deadline)
        var state = StoreState(storage: .keyring, reason: reason, group: keys.uuid.description, phase: .creating)
        state.collection = location.collection
        state.folder = directory.folderIdentity
        if let old = try directory.readState(), old.phase != .creating || old.storage != .keyring {
            throw StorageError(.exists, path: directory.path.string)
        }
        // Check again under the lock: another process may have created the group first, or it may belong to another
        // folder.
        guard try items.keyItems(until: deadline, prompts: .never).isEmpty else {
            throw StorageError(.exists, path: directory.path.string, detail: "the keyring has a group of this name")
        }
        // Signed at once: if this process is killed, whoever opens the group next can trust what it says of the folder.
        try state.authenticate(with: keys)
        try directory.writeState(state, under: lock)
        try items.makeFirstKeyItem(for: keys, until: deadline)
        let chain = try KeyringKeyChain(keys, learn: learn)
        let store = SecretServiceStore(directory, items: items, chain: chain, resealing: resealing, limits: limits)
        try store.writeList(ItemList(epoch: keys.epoch, sequence: 0))
        state.phase = .ready
        try state.authenticate(with: keys)
        try directory.writeState(state, under: lock)
        lock.release()
        return store
    }
}
