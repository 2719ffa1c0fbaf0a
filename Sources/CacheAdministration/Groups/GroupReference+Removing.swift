// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import Glibc
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import SystemPackage
public import TokenCaching

extension GroupReference {
    /// Removes a group with everything that belongs to it: its folder, the key files that the library made for it, and
    /// its items in the keyring.
    ///
    /// The folder is renamed first, so that no process finds the group any more, and removed last. The group need not be
    /// usable: its key may be lost, or its files damaged. But only if it opens, and its folder is not a copy, are files
    /// and items outside the folder known to be its own and removed; otherwise those that may be are reported. Links are
    /// never followed, and files that the library did not make stay. Processes that have the group open fail with
    /// `storageMoved`. If the call is interrupted, call it again.
    ///
    /// - Parameter isDryRun: whether to report what would be removed without removing it.
    /// - Returns: what was removed, and what stays with the reason.
    /// - Throws: `notFound` if nothing of such a group exists, `busy`, `readOnly`, `storageMismatch`,
    ///   `unsupportedVersion` if a newer version made it, `unsafePermissions` and `unsafeFile` for its folder. In these
    ///   cases nothing was removed.
    public func remove(isDryRun: Bool = false) throws(TokenCacheError) -> GroupRemovalReport {
        let opener = try opener()
        return try translating(try GroupRemoval.run(with: opener, isDryRun: isDryRun))
    }

    /// Removes the folder of a group whose creation failed: for a program that found no folder of this name before it
    /// tried to create the group.
    ///
    /// Removes nothing if the folder contains a group, damaged or not, or files that the library did not make, or if the
    /// keyring has items of the new group, which the next attempt uses. Outside the folder, only the key file of the
    /// creation is removed.
    ///
    /// - Returns: whether the folder was removed.
    /// - Throws: `notFound` if there is no such folder, `busy`, `readOnly`, and other codes about files and the keyring.
    @discardableResult
    public func removeUnfinished() throws(TokenCacheError) -> Bool {
        let location = try location
        return try translating(try Self.removeUnfinished(location, until: .after(timeout)))
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
}
