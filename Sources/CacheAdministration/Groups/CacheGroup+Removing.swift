// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
public import TokenCaching

extension CacheGroup {
    /// Removes a group with everything that belongs to it: its folder, the key files that the library made for it, its
    /// items in the keyring, and the record of which group was in the folder.
    ///
    /// The group need not be usable: its key may be lost, or its files damaged. Files and items outside the folder are
    /// removed only if the keys of the group, or the record beside the key files, show that they are this group's, and
    /// only if no other folder uses the group. Links are never followed, and files that the library did not make stay.
    /// Processes that have the group open fail with `storageMoved`. If the call is interrupted, call it again.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the parent of group folders; by default `$XDG_DATA_HOME/swift-token-cache`.
    ///   - storage: what unlocks the group, if nothing else shows which key files and items are its own.
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

    /// Removes the group if it was opened with `GroupAccess.create` and contains no data that must be kept: for a
    /// program whose first step with a new group failed. Closes the group.
    ///
    /// Data that can be obtained again is no reason to keep the group: metadata of authorities and clouds, and the note
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
        let retired = try directory.withLock(.writer, until: time.deadline) { () throws(StorageError) in
            try isUnused(until: time.deadline) ? try directory.retireFolder() : nil
        }
        guard let retired else { return false }
        close()
        try GroupRemoval.removeRest(of: keys.uuid, in: directory.path, retired, createdLocation, within: time)
        return true
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
