// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory
package import RecordStorage
package import Sealing

extension FileStore {
    /// Opens the journal of a group.
    ///
    /// `unlock` receives the journal's key-slot block and the deadline of the call that needs the keys, and returns the
    /// keys of that epoch. It is called again if another process changes the keys. It may be slow: one thread calls it
    /// without holding a lock, and other threads that need the same keys wait only until their own deadlines. It must
    /// not call the store.
    ///
    /// - Parameters:
    ///   - directory: the folder of the group.
    ///   - group: the group that the folder belongs to, if the caller has just verified it.
    ///   - acceptsName: whether to open a journal that was made for a group of another name.
    ///   - deadline: for the lock, and for waiting while another thread unlocks the same keys.
    ///   - unlock: returns the keys.
    /// - Returns: the store.
    /// - Throws: ``StorageError/Code/notFound`` if the folder has no journal, ``StorageError/Code/damaged``,
    ///   ``StorageError/Code/foreign``, ``StorageError/Code/unsupportedVersion``, and the errors of `unlock`. The file
    ///   is not changed.
    package static func open(
        in directory: GroupDirectory,
        of group: GroupUUID? = nil,
        acceptsName: Bool = false,
        until deadline: Deadline,
        unlock: @escaping @Sendable (KeySlots, Deadline) throws(StorageError) -> GroupKeys
    ) throws(StorageError) -> FileStore {
        let keyChain = KeyChain(of: acceptsName ? nil : directory.name, unlock: unlock)
        return try open(in: directory, of: group, keyChain: keyChain, until: deadline)
    }

    /// Keys that this handle has already unlocked are not unlocked again.
    package func makeHandle(until deadline: Deadline) throws(StorageError) -> any RecordStore {
        try snapshot(until: deadline)
    }

    package func snapshot(until deadline: Deadline) throws(StorageError) -> FileStore {
        try checkOpen()
        return try Self.open(in: directory, of: nil, keyChain: keyChain, until: deadline)
    }

    private static func open(
        in directory: GroupDirectory,
        of group: GroupUUID?,
        keyChain: KeyChain,
        until deadline: Deadline
    ) throws(StorageError) -> FileStore {
        let state = try keyChain.following(directory, until: deadline) { () throws(StorageError) -> JournalState? in
            let first = try JournalState.open(in: directory, keyChain: keyChain, unlockingUntil: deadline)
            guard let first else { return nil }
            guard case .unusable = first.rest else { return first.state }
            // The file may have changed during the read: read it again under a shared lock that keeps writers out.
            let second = try directory.withLock(.writer, .shared, until: deadline) { () throws(StorageError) in
                try JournalState.open(in: directory, keyChain: keyChain)
            }
            if case .unusable(let error) = second?.rest { throw error }
            return second?.state
        }
        let found = state.generation.header.group
        if group != found { try checkGroup(found, in: directory) }
        directory.revision.announceIfNewer(state.sequence)
        let store = FileStore(directory: directory, keyChain: keyChain, state: state)
        if !state.pendingErasures.isEmpty, store.readOnlyReason == nil { store.completeErasuresIfNobodyWrites() }
        return store
    }

    /// Completes erasures that an earlier writer did not finish. If another process holds the lock, it completes them
    /// itself.
    private func completeErasuresIfNobodyWrites() {
        _ = try? directory.withLock(.writer, until: .after(.zero)) { () throws(StorageError) in
            if try absorb({ _ in true }) == true { try completeErasures() }
        }
    }

    /// - Throws: ``StorageError/Code/foreign`` if the folder belongs to another group.
    static func checkGroup(_ group: GroupUUID, in directory: GroupDirectory) throws(StorageError) {
        guard let state = try directory.readState() else { return }
        guard let uuid = GroupUUID(state.group), uuid != group else { return }
        let detail =
            "the journal belongs to group \(group), but the state file (store) says group \(uuid)"
        throw StorageError(
            .foreign,
            path: directory.path(of: JournalFormat.fileName),
            detail: detail,
            advice: "Restore the folder, or run cachetool repair to use the journal"
        )
    }

    /// Creates the journal of a new group. The caller holds no lock.
    ///
    /// - Parameters:
    ///   - directory: the folder of the group.
    ///   - keys: the keys of the new group.
    ///   - slots: the key slots, from which `unlock` can have these keys again.
    ///   - deadline: for the lock.
    ///   - prepare: called under the writer's lock before the journal appears, if the folder has none.
    ///   - unlock: called if another process changes the keys later.
    /// - Returns: the store.
    /// - Throws: ``StorageError/Code/exists`` if the folder already has a journal, for example because another process
    ///   created one first.
    package static func create(
        in directory: GroupDirectory,
        keys: GroupKeys,
        slots: KeySlots,
        until deadline: Deadline,
        prepare: (borrowing DirectoryLock) throws(StorageError) -> Void = { _ in },
        unlock: @escaping @Sendable (KeySlots, Deadline) throws(StorageError) -> GroupKeys
    ) throws(StorageError) -> FileStore {
        let keyChain = KeyChain(of: directory.name, unlock: unlock)
        let journalKeys = try JournalKeys(keys)
        guard slots.uuid == keys.uuid, slots.epoch == keys.epoch else {
            throw StorageError(.foreign, detail: "the key slots are for other keys")
        }
        keyChain.add(journalKeys)
        let lock = try directory.lock(.writer, until: deadline)
        if try directory.identity(of: JournalFormat.fileName) != nil {
            throw StorageError(.exists, path: directory.path(of: JournalFormat.fileName))
        }
        let header = JournalHeader(group: keys.uuid, epoch: keys.epoch, keySlots: slots.encoded)
        let writer = try SnapshotWriter(in: directory, header: header, keys: journalKeys)
        _ = try writer.finish()
        try prepare(lock)
        try directory.install(writer.temporary, as: JournalFormat.fileName)
        guard let state = try JournalState.open(in: directory, keyChain: keyChain)?.state else {
            throw KeyChain.replacedRepeatedly(in: directory)
        }
        let note = SyncNote.make(state.cursor, of: state.generation.header.journal, keys: journalKeys)
        directory.revision.announce(state.sequence, note: note)
        lock.release()
        return FileStore(directory: directory, keyChain: keyChain, state: state)
    }
}
