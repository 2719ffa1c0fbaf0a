internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage

/// Empties a store that is not the group's any more, or not yet. What is removed stays removed where this is broken off.
struct StoreRemoval {
    let directory: GroupDirectory
    let access: KeyringAccess
    let ownKeyFiles: OwnKeyFiles

    private var timeout: Duration { access.timeout }

    /// The caller holds the lock for keys.
    ///
    /// - Parameters:
    ///   - store: which one; the group is in another kind of store.
    ///   - group: the UUID.
    ///   - end: when to give up, where each answer of the keyring has its time; nil for never.
    /// - Throws: what the store meets.
    func remove(_ store: StoreReference, of group: String, until end: Deadline? = nil) throws(StorageError) {
        guard let uuid = GroupUUID(group) else { return }
        if store.storage == .keyring {
            let place = try access.place(store.collection)
            try KeyringCargo.removeAll(of: uuid, in: directory, place, timeout: timeout, until: end)
            return
        }
        try directory.withLock(.writer, until: .after(timeout)) { () throws(StorageError) in
            try FileStore.removeJournal(in: directory)
        }
        for file in try ownKeyFiles.all(of: uuid) { try file.remove() }
        // The other store is the keyring, so there is one. What it keeps here opens nothing any more.
        try access.withSlots(store.collection) { slots throws(StorageError) in
            try slots.removeAll(of: uuid, until: .after(timeout))
        }
    }

    /// Empties what the group was taken from, where the migration was killed before it did. Not while somebody takes the
    /// group elsewhere, or changes its keys.
    func clearUp() throws(StorageError) {
        let lock = try directory.lock(.keys, until: .after(.zero))
        if let state = try directory.readState(), state.phase == .ready, let leftover = state.leftover {
            try remove(leftover, of: state.group, until: .after(timeout))
            try forget(leftover)
        }
        lock.release()
    }

    private func forget(_ leftover: StoreReference) throws(StorageError) {
        let lock = try directory.lock(.writer, until: .after(timeout))
        guard var state = try directory.readState(), state.leftover == leftover else { return }
        state.leftover = nil
        try directory.writeState(state, under: lock)
    }
}
