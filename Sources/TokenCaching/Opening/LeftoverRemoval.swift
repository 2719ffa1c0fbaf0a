internal import FileStorage
package import GroupDirectory
package import RecordStorage
package import Sealing
internal import SecretServiceStorage
internal import SystemPackage

/// Empties a store that is not, or not yet, the group's. The store in use was opened with its keys before, and what is
/// removed must belong to the same group, be of another kind, and be no newer. If this is interrupted, what was removed
/// stays removed.
package struct LeftoverRemoval {
    let directory: GroupDirectory
    let access: KeyringAccess
    let time: WaitingTime
    let ownKeyFiles: OwnKeyFiles
    /// Opens the leftover in the file, if the keys of the group changed since.
    let unlocker: KeyUnlocker
    /// The kind of store in use.
    let storage: StorageKind
    /// The keys of the store in use.
    let keys: GroupKeys
    /// The newest transaction of the store in use.
    let sequence: UInt64

    package init(
        directory: GroupDirectory,
        access: KeyringAccess,
        time: WaitingTime,
        ownKeyFiles: OwnKeyFiles,
        unlocker: KeyUnlocker,
        storage: StorageKind,
        keys: GroupKeys,
        sequence: UInt64
    ) {
        self.directory = directory
        self.access = access
        self.time = time
        self.ownKeyFiles = ownKeyFiles
        self.unlocker = unlocker
        self.storage = storage
        self.keys = keys
        self.sequence = sequence
    }

    /// Empties a store. The caller holds the lock for keys.
    ///
    /// - Parameter store: the store to empty.
    /// - Throws: ``StorageError/Code/foreign`` if it contains something else, and errors of both stores.
    package func remove(_ store: StoreReference) throws(StorageError) {
        switch store.storage {
        case storage: throw StorageError(.storageMismatch, path: directory.path.string, detail: "that store is in use")
        case .keyring: try removeFromKeyring(store)
        case .file: try removeFile(store)
        default:
            throw StorageError(.unsupportedVersion, detail: "this version knows no store \(store.storage.rawValue)")
        }
    }

    private func removeFromKeyring(_ store: StoreReference) throws(StorageError) {
        let location = try access.location(store.collection)
        let newest = try KeyringBulkLoader.newest(of: keys, in: directory, location, until: time.deadline)?.sequence
        // Without a key item nothing there can be identified as the group's. It is the last one to be removed.
        guard let newest else { return }
        try check(newest, "the keyring")
        try KeyringBulkLoader.removeAll(of: keys.uuid, in: directory, location, within: time)
    }

    private func removeFile(_ store: StoreReference) throws(StorageError) {
        if try directory.identity(of: FileStore.fileName) != nil {
            try checkFile()
            try directory.withLock(.writer, until: time.deadline) { () throws(StorageError) in
                try FileStore.removeJournal(in: directory)
            }
        }
        // A copy of the group in another folder still needs them to open.
        if unlocker.pinning.isUsedElsewhere(keys.uuid) { return }
        for file in try ownKeyFiles.all(of: keys.uuid) where !isNewer(file) { try file.remove() }
        // The store in use is the keyring, so there is one. The slots in it no longer open anything.
        try access.withSlots(store.collection) { slots throws(StorageError) in
            try slots.removeAll(of: keys.uuid, until: time.deadline)
        }
    }

    /// Whether a key file was made for keys of an epoch that this group has not reached, so that it opens a newer
    /// state.
    private func isNewer(_ file: KeyFile) -> Bool {
        ownKeyFiles.epoch(of: file, of: keys.uuid).map { $0 > keys.epoch } ?? false
    }

    private func checkFile() throws(StorageError) {
        let path = directory.path(of: FileStore.fileName)
        let unlock: @Sendable (KeySlots, Deadline) throws(StorageError) -> GroupKeys = {
            [keys, unlocker] (slots, end) throws(StorageError) in
            if (try? slots.verify(with: keys)) != nil { return keys }
            guard slots.uuid == keys.uuid else {
                throw StorageError(.foreign, path: path, detail: "it belongs to another group; move it away")
            }
            return try unlocker.unlock(slots, until: end)
        }
        let left = try FileStore.open(in: directory, until: time.deadline, unlock: unlock)
        defer { left.close() }
        guard try unlock(left.keySlots, time.deadline).areOfSameGroup(as: keys) else {
            throw StorageError(
                .foreign,
                path: path,
                detail: "it bears the UUID of this group and was made with other keys; move it away"
            )
        }
        try check(left.newestSequence, "the file")
    }

    private func check(_ newest: UInt64, _ location: String) throws(StorageError) {
        guard newest > sequence else { return }
        throw StorageError(
            .foreign,
            path: directory.path.string,
            detail: "what \(location) holds of this group is newer (change \(newest)) than the store in use (change "
                + "\(sequence)), so it is no leftover; save it, then take it away"
        )
    }
}

extension LeftoverRemoval {
    /// Empties the store that the group was migrated from, if the migration was killed before it did. Not during a
    /// migration or a change of keys.
    func clearUp() throws(StorageError) {
        guard let lock = try directory.tryLock(.keys) else { return }
        if let state = try directory.readState(), state.phase == .ready, let leftover = state.leftover {
            guard state.isAuthentic(under: keys) else { throw state.notVouchedFor(in: directory) }
            try remove(leftover)
            try directory.changeState(with: keys, until: time.deadline) { state in
                if state.leftover == leftover { state.leftover = nil }
            }
        }
        lock.release()
    }
}
