internal import FileStorage
package import GroupDirectory
package import RecordStorage
package import Sealing
internal import SecretServiceStorage
internal import SystemPackage

/// Empties a store that is not the group's any more, or not yet. The store in use was opened with its keys before, and what
/// is removed has to be the same group's, of another kind, and no newer. What is removed stays removed where this is broken
/// off.
package struct LeftoverRemoval {
    let directory: GroupDirectory
    let access: KeyringAccess
    let time: WaitingTime
    let ownKeyFiles: OwnKeyFiles
    /// Opens what is left in the file, where the keys of the group changed since.
    let unlocker: KeyUnlocker
    /// The kind of store in use.
    let storage: StorageKind
    /// Its keys.
    let keys: GroupKeys
    /// Its newest transaction.
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

    /// The caller holds the lock for keys.
    ///
    /// - Parameter store: which one.
    /// - Throws: ``StorageError/Code/foreign`` if something else is there, and what both stores meet.
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
        // Without a key item nothing there can be told to be the group's. It is the last one to go.
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
        // A copy of the group in another folder still opens with them.
        if unlocker.pinning.isUsedElsewhere(keys.uuid) { return }
        for file in try ownKeyFiles.all(of: keys.uuid) where !isNewer(file) { try file.remove() }
        // The store in use is the keyring, so there is one. What it keeps here opens nothing any more.
        try access.withSlots(store.collection) { slots throws(StorageError) in
            try slots.removeAll(of: keys.uuid, until: time.deadline)
        }
    }

    /// Whether a key file was made for keys that this group has not come to: it opens a newer state of it.
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
    /// Empties what the group was taken from, where the migration was killed before it did. Not while somebody takes the
    /// group elsewhere, or changes its keys.
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
