// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import Glibc
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import SystemPackage
public import TokenCaching

extension CacheGroup {
    /// Removes a group with everything that belongs to it: its folder, the key files that the library made for it, and
    /// its items in the keyring.
    ///
    /// The folder is renamed first, so that no process finds the group any more, and removed last. The group need not be
    /// usable: its key may be lost, or its files damaged. But only if it opens, and its folder is not a copy, are files
    /// and items outside the folder known to be its own and removed; otherwise those that may be are reported. Links are
    /// never followed, and files that the library did not make stay. Processes that have the group open fail with
    /// `storageMoved`. If the call is interrupted, call it again.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the parent of group folders; by default `$XDG_DATA_HOME/swift-token-cache`.
    ///   - storage: what unlocks the group.
    ///   - fallbackUnlocking: what else may unlock it, if the storage is chosen automatically.
    ///   - isDryRun: only reports what would be removed.
    ///   - timeout: how long to wait for the lock, and for the keyring.
    ///   - prompts: whether the keyring may prompt the user.
    /// - Returns: what was removed, and what stays with the reason.
    /// - Throws: `notFound` if nothing of such a group exists, `busy`, `readOnly`, `storageMismatch`,
    ///   `unsupportedVersion` if a newer version made it, `unsafePermissions` and `unsafeFile` for its folder. In these
    ///   cases nothing was removed.
    public static func remove(
        _ name: String,
        root: String? = nil,
        storage: StorageChoice = .automatic,
        fallbackUnlocking: [FileUnlocking] = [],
        isDryRun: Bool = false,
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never
    ) throws(TokenCacheError) -> GroupRemovalReport {
        let opener = try Self.opener(
            of: name,
            root: root,
            storage: storage,
            fallbackUnlocking: fallbackUnlocking,
            timeout: timeout,
            prompts: prompts
        )
        return try translating(try GroupRemoval.run(with: opener, isDryRun: isDryRun))
    }

    /// Removes the folder of a group whose creation failed: for a program that found no folder of this name before it
    /// tried to create the group.
    ///
    /// Removes nothing if the folder contains a group, damaged or not, or files that the library did not make, or if the
    /// keyring has items of the new group, which the next attempt uses. Outside the folder, only the key file of the
    /// creation is removed.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the parent of group folders; by default `$XDG_DATA_HOME/swift-token-cache`.
    ///   - timeout: how long to wait for the lock, and for the keyring.
    /// - Returns: whether the folder was removed.
    /// - Throws: `notFound` if there is no such folder, `busy`, `readOnly`, and other codes about files and the keyring.
    @discardableResult
    public static func removeUnfinished(
        _ name: String,
        root: String? = nil,
        timeout: Duration = .seconds(2)
    ) throws(TokenCacheError) -> Bool {
        try translating(
            try removeUnfinished(
                GroupLocation(name, root: root, environment: Environment.folders),
                until: .after(timeout)
            )
        )
    }

    private static func removeUnfinished(
        _ location: GroupLocation,
        until deadline: Deadline
    ) throws(StorageError) -> Bool {
        let isStoreFile = [any StorageBackend].all.haveFile
        let directory = try location.openDirectory(.readWrite)
        var group: GroupUUID?
        let retired: RetiredFolder? = try directory.withLock(.writer, until: deadline) { () throws(StorageError) in
            let state = try directory.readState()
            guard state == nil || state?.phase == .creating,
                try directory.storeFileNames(isStoreFile: isStoreFile).isEmpty,
                try directory.contents(isStoreFile: isStoreFile).others.isEmpty
            else { return nil }
            if state?.storage.isInKeyring == true, try location.keyringHasGroup(until: deadline) { return nil }
            group = state.flatMap { GroupUUID($0.group) }
            return try directory.retireFolder()
        }
        guard let retired else { return false }
        try retired.remove(isStoreFile: isStoreFile, erasing: FileStore.erase)
        // The state file is not authenticated, but a key file of this name opens no group whose creation was completed.
        if let group { try? location.ownKeyFiles.begun(of: group).remove() }
        return true
    }

    /// Removes the group if it was opened with `GroupAccess.create` and contains no data that must be kept: for a
    /// program whose first step with a new group failed. Closes the group.
    ///
    /// Data that can be obtained again is no reason to keep the group: metadata of clouds, registered clients, and the note
    /// of which process is asking the user to sign in.
    ///
    /// - Returns: whether the group was removed. False if it holds anything else, or if another process is asking the
    ///   user to sign in.
    /// - Throws: `busy` and other codes about files and the keyring. Once its folder is removed, the group is gone
    ///   despite an error.
    @discardableResult
    public func removeIfUnused() throws(TokenCacheError) -> Bool {
        guard let directory = opened.directory else { return false }
        return try translating(try removeIfUnused(directory))
    }

    private func removeIfUnused(_ directory: GroupDirectory) throws(StorageError) -> Bool {
        try opened.checkProcess()
        let time = newTime()
        guard let createdLocation, let keys = try opened.keysAndSequence(until: time.deadline)?.keys else {
            return false
        }
        // Once the folder is retired, no process finds it, so check its content under the writer's lock: without that
        // lock, no process can store anything.
        let retired: RetiredFolder? = try directory.withLock(.writer, until: time.deadline) { () throws(StorageError) in
            guard try isAlone(in: directory), try isUnused(until: time.deadline) else { return nil }
            return try directory.retireFolder()
        }
        guard let retired else { return false }
        close()
        try GroupRemoval.removeRest(of: keys.uuid, retired, createdLocation, within: time)
        return true
    }

    /// Whether the folder contains nothing but this group: neither files of another store, nor files of others.
    private func isAlone(in directory: GroupDirectory) throws(StorageError) -> Bool {
        let otherStores = [any StorageBackend].all.filter { $0.kind != opened.storage }
        guard try directory.storeFileNames(isStoreFile: otherStores.haveFile).isEmpty else { return false }
        return try directory.contents(isStoreFile: [any StorageBackend].all.haveFile).others.isEmpty
    }

    /// Whether the group holds only data that can be obtained again.
    private func isUnused(until deadline: Deadline) throws(StorageError) -> Bool {
        let store = try opened.snapshot(until: deadline)
        defer { store.close() }
        let group = try opened.codec.groupPartition()
        for (partition, _) in try store.partitionsToRead(until: deadline) {
            guard partition == group else { return false }
            let reader = try PartitionReader(
                try store.contents(of: partition, until: deadline),
                codec: opened.codec
            )
            for (index, record) in reader.records.enumerated()
            where !record.kind.isCloudMetadata && !record.kind.isAuthorityMetadata {
                guard record.kind.isInteraction, case .content(let note) = try reader.interaction(index),
                    note.processID == nil || note.processID == getpid()
                else { return false }
            }
        }
        return true
    }
}
