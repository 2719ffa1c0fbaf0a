// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage
internal import TokenCaching

extension GroupOpener {
    /// Makes this the folder of a group in the keyring whose own folder is gone; or accepts the group in this folder,
    /// although the folder held another one when it was last opened.
    ///
    /// - Parameter collection: the keyring collection, if the caller named one.
    /// - Returns: what was repaired if the group would not open; `nil` if nothing was.
    /// - Throws: `exists` if the folder's own group can be opened, and other errors of opening it and of the keyring.
    @discardableResult
    func adopt(collection: String?) throws(StorageError) -> RepairReport? {
        var trusting = self
        trusting.trustsFolder = true
        return try trusting.adoptTrusting(collection)
    }

    private func adoptTrusting(_ collection: String?) throws(StorageError) -> RepairReport? {
        let directory = try location.openDirectory(.create)
        if try directory.identity(of: FileStore.fileName) != nil {
            return try adoptGroup(in: directory)
        }
        let state = (try? directory.readState()) ?? nil
        if let state, state.storage == .keyring, state.phase == .ready {
            let original = try self.original(of: state, in: directory)
            do throws(StorageError) {
                if let repaired = try adoptGroup(in: directory, insteadOf: original) { return repaired }
                return try repairAdopted()
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
            try pinning(in: directory).forget()
        } catch {
            // The error of opening the folder's group is more informative than the group's absence from the keyring.
            if let state, state.phase != .creating { return try adoptGroup(in: directory) }
            throw error
        }
        return try repairAdopted()
    }

    /// Reports which items of a newly adopted group the keyring lacks, or that this is unknown.
    private func repairAdopted() throws(StorageError) -> RepairReport? {
        let summary = try repair(isDryRun: false)
        return summary.findings.isEmpty ? nil : summary
    }

    /// The errors that a changed state file can cause for a group in the keyring.
    private static let mayBeAboutState: [StorageError.Code] = [
        .groupElsewhere, .foreign, .damaged, .notFound, .storageMismatch, .keyringMissing, .keyringItemMissing,
    ]

    /// Opens the group with the caller's keys, and pins it again. `original` is the path of the folder that this one
    /// replaces, if this one is a copy.
    private func adoptGroup(
        in directory: GroupDirectory,
        insteadOf original: String? = nil
    ) throws(StorageError) -> RepairReport? {
        let wasSetAside = try setStateAside(ifOfAnotherGroupThanTheJournalIn: directory)
        do throws(StorageError) {
            try pin(open(), in: directory, isChanged: wasSetAside || original != nil)
            if let original, let pins = location.pins {
                try pins.remove(for: original)
            }
            return nil
        } catch {
            guard error.code == .damaged else { throw error }
        }
        // A repair also checks which group a damaged journal belongs to, and would reject this one.
        let repaired = try repair(isDryRun: false)
        if repaired.beginsAnew {
            try pinning(in: directory).forget()
        } else {
            try pin(open(), in: directory, isChanged: true)
        }
        return repaired
    }

    /// The folder in which the keyring's group was opened before, if this one is a copy that will replace it.
    private func original(of state: StoreState, in directory: GroupDirectory) throws(StorageError) -> String? {
        guard let group = GroupUUID(state.group), let original = pinning(in: directory).original(of: group) else {
            return nil
        }
        guard location.pins == nil else { return original }
        throw StorageError(
            .groupElsewhere,
            path: directory.path.string,
            detail:
                "\(original) already has this group, and a folder below a given root cannot replace it",
            advice: "Move that folder away first"
        )
    }

    private func pin(_ opened: OpenedGroup, in directory: GroupDirectory, isChanged: Bool) throws(StorageError) {
        defer { opened.store.close() }
        let path = directory.path.string
        let keys = try opened.keysAndSequence(until: .after(timeout))?.keys
        guard let pins = location.pins, let keys else {
            if isChanged { return }
            throw Self.ownGroup(path)
        }
        let pin = try GroupPin(keys)
        // An unreadable pin is written again, as the user requested.
        if (try? pins.pin(for: path)) == pin {
            if isChanged { return }
            throw Self.ownGroup(path)
        }
        try pins.remove(for: path)
        try pins.add(pin, for: path)
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

    private static func ownGroup(_ path: String) -> StorageError {
        StorageError(
            .exists,
            path: path,
            detail: "there is nothing to adopt: the group belongs to this folder",
            advice: "Omit --adopt"
        )
    }
}
