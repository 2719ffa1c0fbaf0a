// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import SystemPackage

/// One attempt to open or create a group in the encrypted file.
///
/// Several attempts may run at once, in any number of processes. They agree on one UUID through the state file, on one
/// key file by its name, and on one journal through the writer's lock: later attempts find what the first one created
/// and use it.
struct FileGroupOpening {
    let directory: GroupDirectory
    let unlocker: KeyUnlocker
    let creates: Bool
    /// Whether to open a journal that was made for a group of another name.
    let acceptsName: Bool
    /// Why a new group is kept in the file.
    let reason: String
    /// The state that was already read from the folder.
    let knownState: StoreState?
    /// The journal that existed after that state was read.
    let knownJournal: FileIdentity?
    let time: WaitingTime
    let onStep: (@Sendable (OpeningStep) -> StorageError?)?

    private static let maximumAttempts = 8

    private var deadline: Deadline { time.deadline }

    func open() throws(StorageError) -> FileStore {
        var state = if let knownState { knownState } else { try directory.readState() }
        var journal = knownState == nil ? nil : knownJournal
        var makesItem = false
        for _ in 1..<Self.maximumAttempts {
            if let store = try attempt(state, known: journal, makesItem: &makesItem) {
                if makesItem { try? clearUp(store) }
                return store
            }
            state = try directory.readState()
            journal = nil
        }
        throw StorageError(.busy, path: directory.path.string, detail: "the group keeps changing")
    }

    /// - Returns: nil if another process changed the folder in the meantime, so that the caller must look again.
    private func attempt(
        _ state: StoreState?,
        known: FileIdentity?,
        makesItem: inout Bool
    ) throws(StorageError) -> FileStore? {
        if let state { try check(state) }
        // The state was read first: a journal that exists now was created under that state or a later one.
        if let journal = if let known { known } else { try directory.identity(of: FileStore.fileName) } {
            return try openJournal(journal, state: state)
        }
        switch state?.phase {
        case .ready:
            // Another process may just have renamed it into place.
            if try directory.identity(of: FileStore.fileName) != nil { return nil }
            throw JournalLook.absent.damage(in: directory)
        case .creating, nil:
            guard creates else { throw notFound(state) }
            return try create(&makesItem)
        }
    }

    private func check(_ state: StoreState) throws(StorageError) {
        let path = directory.path(of: GroupDirectory.FileName.state)
        guard state.storage == .file || state.storage == .keyring && state.phase == .creating else {
            let detail = "another process has just decided to keep it in another kind of store"
            throw StorageError(.storageMismatch, path: path, detail: detail)
        }
    }

    private func notFound(_ state: StoreState?) -> StorageError {
        let detail = state == nil ? "there is no group in this folder" : "its creation was not completed"
        return StorageError(.notFound, path: directory.path.string, detail: detail)
    }

    // MARK: - Opening

    private func openJournal(_ journal: FileIdentity, state: StoreState?) throws(StorageError) -> FileStore? {
        let store: FileStore
        do throws(StorageError) {
            let group = state.flatMap { GroupUUID($0.group) }
            store = try unlocker.restarting(time) { () throws(StorageError) in
                try FileStore.open(in: directory, of: group, acceptsName: acceptsName, until: deadline) {
                    [unlocker] (slots, end) throws(StorageError) in try unlocker.unlock(slots, until: end)
                }
            }
        } catch {
            // Report that the file is not a journal, as elsewhere.
            if error.code == .damaged || error.code == .foreign, let look = try? FileStore.look(in: directory),
                look != .journal
            {
                throw look.damage(in: directory)
            }
            // Another process may have changed its key while we looked for it.
            let isAboutKeys = error.code == .keyMissing || error.code == .keyRejected
            guard isAboutKeys || error.code == .notFound else { throw error }
            if let now = try directory.identity(of: FileStore.fileName), now.isSameFile(as: journal) { throw error }
            return nil
        }
        let uuid = store.group.description
        if let state, state.group != uuid {
            throw StorageError(
                .foreign,
                path: directory.path(of: FileStore.fileName),
                detail: "the journal belongs to a group other than the one that the state file (store) names",
                advice: "Restore the folder, or run cachetool repair to use the journal"
            )
        }
        if state?.phase != .ready {
            try markReady(unlocker.unlock(store.keySlots, until: deadline))
        }
        return store
    }

    /// Records that the group is complete. If that fails nothing changes: the next process that opens the group records
    /// it.
    private func markReady(_ keys: GroupKeys) throws(StorageError) {
        guard directory.readOnlyReason == nil else { return }
        unlocker.markCreated(keys.uuid)
        do throws(StorageError) {
            let lock = try directory.lock(.writer, until: deadline)
            let group = keys.uuid.description
            let found = "the journal was found"
            let old =
                try directory.readState()
                ?? StoreState(storage: .file, reason: found, group: group, phase: .creating)
            guard old.phase == .creating, old.storage == .file, old.group == group else { return }
            var state = old
            if !old.isAuthentic(under: keys) {
                state.reason = found
                state.folder = nil
            }
            state.phase = .ready
            try state.authenticate(with: keys)
            try directory.writeState(state, under: lock)
        } catch {
            guard [.busy, .full, .readOnly].contains(error.code) else { throw error }
        }
    }

    // MARK: - Creating

    /// - Returns: nil if another process was first.
    private func create(_ makesItem: inout Bool) throws(StorageError) -> FileStore? {
        if let readOnlyReason = directory.readOnlyReason { throw readOnlyReason }
        // The user may decline, and until then nothing exists. Prompting may take a while, so everything must be
        // checked again.
        let given = try unlocker.restarting(time) { () throws(StorageError) in try unlocker.gatherSecrets() }
        guard let (uuid, resuming) = try begin() else { return nil }
        try reach(.stateBegun)
        let own = try unlocker.restarting(time) { () throws(StorageError) in
            try unlocker.makeOwnOfNewGroup(uuid, resuming: resuming, until: deadline)
        }
        if own.contains(where: { $0.id != nil }) { makesItem = true }
        let newSlots = own + given.map { NewSlot($0, parameters: unlocker.passphraseCost) }
        try reach(.keysMade)
        let keys = try sealing(try GroupKeys.generate(uuid: uuid))
        let slots = try sealing(try KeySlots.create(for: keys, slots: newSlots))
        let store: FileStore
        do throws(StorageError) {
            store = try FileStore.create(in: directory, keys: keys, slots: slots, until: deadline) {
                (lock) throws(StorageError) in
                try sign(keys, under: lock)
            } unlock: { [unlocker] (slots, end) throws(StorageError) in
                try unlocker.unlock(slots, until: end)
            }
        } catch {
            // An item in the keyring stays: another process may be creating the group with it, and the next process
            // uses it.
            switch error.code {
            case .exists:
                unlocker.removeLateKeyFile(uuid)
                return nil
            // The folder was removed meanwhile, so that the key file opens nothing.
            case .storageMoved, .notFound: try? unlocker.ownKeyFiles.begun(of: uuid).remove()
            default: break
            }
            throw error
        }
        try unlocker.remember(keys)
        try reach(.journalMade)
        try markReady(keys)
        try reach(.stateReady)
        return store
    }

    /// Records in a signed state file, before there is a journal, for which folder these keys were made. So the folder
    /// is no copy for whoever finds the journal, should this process end before it records that the group is complete.
    private func sign(_ keys: GroupKeys, under lock: borrowing DirectoryLock) throws(StorageError) {
        var state = newState(of: keys.uuid)
        try state.authenticate(with: keys)
        try directory.writeState(state, under: lock)
    }

    private func newState(of uuid: GroupUUID) -> StoreState {
        StoreState(
            storage: .file,
            reason: reason,
            group: uuid.description,
            phase: .creating,
            folder: directory.folderIdentity
        )
    }

    /// Removes secrets of processes that also began to create this group and were too late, or did not finish.
    private func clearUp(_ store: FileStore) throws(StorageError) {
        // Keys are not changed while this lock is held, so the slots are current.
        let lock = try directory.lock(.keys, until: deadline)
        _ = try? store.refresh(until: deadline)
        try? unlocker.removeSecretsOfOtherCreators(store.keySlots, until: deadline)
        lock.release()
    }

    private func reach(_ step: OpeningStep) throws(StorageError) {
        if let error = onStep?(step) { throw error }
    }

    /// Records the UUID under which the group is being created, unless a process already began to create it.
    ///
    /// - Returns: the UUID, and whether creation had already begun; nil if there is a journal, or the state says that
    ///   there is one.
    private func begin() throws(StorageError) -> (GroupUUID, resuming: Bool)? {
        let lock = try directory.lock(.writer, until: deadline)
        guard try directory.identity(of: FileStore.fileName) == nil else { return nil }
        // If creation in the keyring began and was not completed, the group is still empty: its creator held this lock.
        if let state = try directory.readState(), state.storage == .file || state.phase != .creating {
            guard state.phase == .creating else { return nil }
            // This UUID is not authenticated: it must not lead to the key files of another group.
            let mayGoOn = GroupUUID(state.group).map { unlocker.mayUse($0, until: deadline) } ?? false
            if !mayGoOn { return try begin(GroupUUID(), under: lock) }
            return GroupUUID(state.group).map { ($0, true) }
        }
        return try begin(GroupUUID(), under: lock)
    }

    private func begin(
        _ uuid: GroupUUID,
        under lock: borrowing DirectoryLock
    ) throws(StorageError) -> (GroupUUID, resuming: Bool) {
        try directory.writeState(newState(of: uuid), under: lock)
        return (uuid, false)
    }
}
