// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage
internal import TokenCaching

extension GroupOpener {
    /// Makes a copy, or a renamed folder, a group of its own; or makes this the folder of the group that the keyring holds
    /// under this name.
    ///
    /// - Parameter collection: the keyring collection, if the caller named one.
    /// - Returns: what was repaired if the group would not open, and what stays with the original.
    /// - Throws: `exists` if there is nothing to adopt, and other errors of opening the group and of the keyring.
    @discardableResult
    func adopt(collection: String?) throws(StorageError) -> RepairReport {
        let directory = try location.openDirectory(.create)
        let state = (try? directory.readState()) ?? nil
        let hasJournal = try directory.identity(of: FileStore.fileName) != nil
        if hasJournal, state?.storage != .keyring { return try adoptJournal(in: directory) }
        if let state, state.storage == .keyring, state.phase == .ready {
            do throws(StorageError) {
                try claimKeyringGroup(in: directory, state)
                return RepairReport()
            } catch {
                guard Self.mayBeAboutState.contains(error.code) else { throw error }
            }
        }
        // A state file that leads nowhere or cannot be read counts as missing: then the keyring holds the group.
        do throws(StorageError) {
            try SecretServiceStore.adopt(
                in: directory,
                keyringAccess.location(collection),
                reason: "the group was found in the keyring and adopted by this folder",
                within: WaitingTime(timeout)
            )
        } catch {
            if hasJournal { return try adoptJournal(in: directory) }
            // The error of opening the folder's group is more informative than the group's absence from the keyring.
            if let state, state.phase != .creating { try open().store.close() }
            throw error
        }
        return try repair(isDryRun: false)
    }

    /// The errors that a changed state file can cause for a group in the keyring.
    private static let mayBeAboutState: [StorageError.Code] = [
        .groupElsewhere, .foreign, .damaged, .notFound, .storageMismatch, .keyringMissing, .keyringItemMissing,
    ]

    /// Records that the items of a group in the keyring are this folder's, if the folder is a copy of the one for which
    /// they were made.
    private func claimKeyringGroup(in directory: GroupDirectory, _ state: StoreState) throws(StorageError) {
        let opened = try open()
        defer { opened.store.close() }
        let deadline = Deadline.after(timeout)
        guard let keys = try opened.keysAndSequence(until: deadline)?.keys,
            !directory.hasOwnSecrets(of: keys, state)
        else { throw Self.ownGroup(directory) }
        try directory.changeState(with: keys, until: deadline) { $0.folder = directory.folderIdentity }
    }

    // MARK: - A group in the file

    /// Gives the group in this folder another UUID, other keys and secrets of its own, and repairs it first if necessary.
    private func adoptJournal(in directory: GroupDirectory) throws(StorageError) -> RepairReport {
        if let readOnlyReason = directory.readOnlyReason { throw readOnlyReason }
        var accepting = self
        accepting.acceptsName = true
        let wasSetAside = try setStateAside(ifOfAnotherGroupThanTheJournalIn: directory)
        var report = RepairReport()
        do throws(StorageError) {
            try accepting.makeNewGroup(in: directory, unlessNamed: !wasSetAside, &report)
            return report
        } catch {
            guard error.code == .damaged || error.code == .foreign else { throw error }
        }
        report = try accepting.repair(isDryRun: false)
        if !report.beginsAnew { try accepting.makeNewGroup(in: directory, unlessNamed: false, &report) }
        return report
    }

    /// Opens the journal and makes it that of a new group. With `unlessNamed`, a group that is already this folder's own is
    /// an error.
    private func makeNewGroup(
        in directory: GroupDirectory,
        unlessNamed: Bool,
        _ report: inout RepairReport
    ) throws(StorageError) {
        let others = (try? StoragePlanner.known(directory).otherStores) ?? []
        let journal = try directory.identity(of: FileStore.fileName)
        let known = StoragePlanner.Known(state: nil, journal: journal, needingState: nil)
        let plan = try StoragePlanner.forExisting(storage, fallbackUnlocking).plan(directory, known)
        let time = WaitingTime(timeout)
        let old = try withUnlocker(plan) { unlocker throws(StorageError) in
            let store = try open(in: directory, unlocker, time)
            defer { store.close() }
            let old = store.group
            let state = (try? directory.readState()) ?? nil
            if unlessNamed, state?.folder == directory.folderIdentity, try store.isNamed {
                throw Self.ownGroup(directory)
            }
            try RollbackGuard(directory: directory, unlocker: unlocker)
                .check(store, isPending: false, until: time.deadline)
            let lock = try directory.lock(.keys, until: time.deadline)
            try makeNewGroup(store, in: directory, unlocker, time)
            lock.release()
            return old
        }
        report.keptKeyFiles = (try? location.externalSecrets(of: old).all(except: .keyring).compactMap(\.path)) ?? []
        guard others.contains(where: \.store.storage.isInKeyring) else { return }
        report.keptItemCount = (try? itemCount(of: old)) ?? 0
    }

    private func itemCount(of group: GroupUUID) throws(StorageError) -> Int {
        let items = try GroupItems(location.name, keyringAccess.location(nil))
        defer { items.close() }
        return try items.count(of: group, until: .after(timeout)).own
    }

    /// Changes the journal, then the state file. If this is interrupted in between, the state file names the old group,
    /// and a repair rewrites it from the journal.
    private func makeNewGroup(
        _ store: FileStore,
        in directory: GroupDirectory,
        _ unlocker: KeyUnlocker,
        _ time: WaitingTime
    ) throws(StorageError) {
        _ = try store.refresh(until: time.deadline)
        let slots = try store.keySlots
        let old = try unlocker.unlock(slots, until: time.deadline)
        let new = try sealing(try old.forNewGroup())
        let passphrase = try passphrase(of: slots, unlocker, time)
        let keyFile = passphrase == nil ? location.ownKeyFiles.first(of: new.uuid, epoch: new.epoch) : nil
        let secret = if let passphrase { passphrase } else { try keyFile?.create() }
        guard let secret else { throw StorageError(.keyMissing) }
        do throws(StorageError) {
            let newSlots = try sealing(
                try KeySlots.create(for: new, slots: [NewSlot(secret, parameters: passphraseCost)])
            )
            let (oldSealer, newSealer) = (
                try sealing(try RecordSealer(keys: old)), try sealing(try RecordSealer(keys: new))
            )
            try store.makeNewGroup(with: new, slots: newSlots, until: time.deadline) {
                (record, _, facts, secret) throws(StorageError) in
                try sealing(
                    try KeyChange.resealed(record, facts: facts, secret: secret, from: oldSealer, to: newSealer)
                )
            }
        } catch {
            if error.code != .indeterminate { try? keyFile?.remove() }
            throw error
        }
        time.restart()
        let lock = try directory.lock(.writer, until: time.deadline)
        var state = StoreState(
            storage: .file,
            reason: "the group was adopted by this folder",
            group: new.uuid.description,
            phase: .ready,
            folder: directory.folderIdentity
        )
        try state.authenticate(with: new)
        try directory.writeState(state, under: lock)
        lock.release()
        directory.revision.bump()
    }

    /// The group's passphrase, if the caller gave it: then it keeps protecting the group, which a key file would end.
    private func passphrase(
        of slots: KeySlots,
        _ unlocker: KeyUnlocker,
        _ time: WaitingTime
    ) throws(StorageError) -> SlotSecret? {
        guard let slot = slots.slots.first(where: { $0.kind == .passphrase }) else { return nil }
        return try unlocker.restarting(time) { () throws(StorageError) in
            try unlocker.secretToKeep(slot, of: slots, unlocker.materials, until: time.deadline)
        }
    }

    /// Quarantines the state file if it and the journal belong to two groups, because one of them was put there. The
    /// journal takes precedence.
    ///
    /// - Returns: whether it did so.
    private func setStateAside(
        ifOfAnotherGroupThanTheJournalIn directory: GroupDirectory
    ) throws(StorageError) -> Bool {
        try directory.withLock(.writer, until: .after(timeout)) { () throws(StorageError) in
            guard let state = try? directory.readState(), state.storage == .file, state.phase == .ready,
                let group = try FileStore.claimedGroup(in: directory), state.group != group.description
            else { return false }
            try directory.quarantineFile(GroupDirectory.FileName.state, label: "store")
            return true
        }
    }

    private static func ownGroup(_ directory: GroupDirectory) -> StorageError {
        StorageError(
            .exists,
            path: directory.path.string,
            detail: "there is nothing to adopt: the group belongs to this folder",
            advice: "Omit --adopt"
        )
    }
}
