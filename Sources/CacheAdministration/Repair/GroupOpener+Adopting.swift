internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage
internal import TokenCaching

extension GroupOpener {
    /// Makes this folder the one of a group in the keyring whose own folder is gone; or takes the group that lies in it for
    /// the group, where another one lay there when it was opened last.
    ///
    /// - Parameter collection: of the keyring, where one was named.
    /// - Returns: what was repaired of a group that would not open; `nil` where nothing had to be.
    /// - Throws: `exists` where the folder has a group and nothing stands in its way, and what else
    ///   opening it and the keyring meet.
    @discardableResult
    func adopt(collection: String?) throws(TokenCacheError) -> RepairSummary? {
        var trusting = self
        trusting.trustsFolder = true
        return try trusting.adoptTrusting(collection)
    }

    private func adoptTrusting(_ collection: String?) throws(TokenCacheError) -> RepairSummary? {
        let directory = try storing { () throws(StorageError) in try openDirectory(.create) }
        if try storing({ () throws(StorageError) in try directory.identity(of: FileStore.fileName) }) != nil {
            return try adoptGroup(in: directory)
        }
        let state = (try? directory.readState()) ?? nil
        if let state, state.storage == .keyring, state.phase == .ready {
            let original = try storing { () throws(StorageError) in try self.original(of: state, in: directory) }
            do throws(TokenCacheError) {
                if let repaired = try adoptGroup(in: directory, insteadOf: original) { return repaired }
                return try repairAdopted()
            } catch {
                guard Self.mayBeAboutState.contains(error.code) else { throw error }
            }
        }
        // A state file that leads nowhere, or cannot be read, is no more than a missing one: the keyring has the group.
        do throws(TokenCacheError) {
            try storing { () throws(StorageError) in
                try SecretServiceStore.adopt(
                    in: directory,
                    keyringAccess.location(collection),
                    reason: "the group was found in the keyring, and this folder was made its own",
                    within: WaitingTime(timeout)
                )
                try pinning(in: directory).forget()
            }
        } catch {
            // What is wrong with a group of the folder says more than that the keyring has none.
            if let state, state.phase != .creating { return try adoptGroup(in: directory) }
            throw error
        }
        return try repairAdopted()
    }

    /// Tells what the keyring has not of a group that was just adopted, or that nobody can tell.
    private func repairAdopted() throws(TokenCacheError) -> RepairSummary? {
        let summary = try repair(isDryRun: false)
        return summary.findings.isEmpty ? nil : summary
    }

    /// What a group in the keyring is refused with where its state file was changed.
    private static let mayBeAboutState: [TokenCacheError.Code] = [
        .groupElsewhere, .foreign, .damaged, .notFound, .storageMismatch, .keyringMissing, .keyringItemMissing,
    ]

    /// The group opens with what was given, and is pinned anew. `original` is the path of the folder whose place this one
    /// takes, where it is a copy.
    private func adoptGroup(
        in directory: GroupDirectory,
        insteadOf original: String? = nil
    ) throws(TokenCacheError) -> RepairSummary? {
        let wasSetAside = try storing { () throws(StorageError) in
            try setStateAside(ifOfAnotherGroupThanTheJournalIn: directory)
        }
        do throws(TokenCacheError) {
            try pin(open(), in: directory, isChanged: wasSetAside || original != nil)
            if let original, let pins = location.pins {
                try storing { () throws(StorageError) in try pins.remove(for: original) }
            }
            return nil
        } catch {
            guard error.code == .damaged else { throw error }
        }
        // Whose group a damaged one is a repair asks as well, and would refuse this one.
        let repaired = try repair(isDryRun: false)
        if repaired.beginsAnew {
            try storing { () throws(StorageError) in try pinning(in: directory).forget() }
        } else {
            try pin(open(), in: directory, isChanged: true)
        }
        return repaired
    }

    /// The folder that the group of the keyring was opened in, where this one is a copy that is to take its place.
    private func original(of state: StoreState, in directory: GroupDirectory) throws(StorageError) -> String? {
        guard let group = GroupUUID(state.group), let original = pinning(in: directory).original(of: group) else {
            return nil
        }
        guard location.pins == nil else { return original }
        throw StorageError(
            .groupElsewhere,
            path: directory.path.string,
            detail: "no folder below a root that was named can take the place of \(original); move that one away first"
        )
    }

    private func pin(_ opened: OpenedGroup, in directory: GroupDirectory, isChanged: Bool) throws(TokenCacheError) {
        defer { opened.store.close() }
        try storing { () throws(StorageError) in
            let path = directory.path.string
            let keys = try opened.keysAndSequence(until: .after(timeout))?.keys
            guard let pins = location.pins, let keys else {
                if isChanged { return }
                throw Self.ownGroup(path)
            }
            let pin = try GroupPin(keys)
            // What cannot be read is made anew: to this end somebody asked for it.
            if (try? pins.pin(for: path)) == pin {
                if isChanged { return }
                throw Self.ownGroup(path)
            }
            try pins.remove(for: path)
            try pins.add(pin, for: path)
        }
    }

    /// Where only one of journal and state file was put there, they are of two groups. The journal is what counts.
    ///
    /// - Returns: whether that was so.
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
        StorageError(.exists, path: path, detail: "there is nothing to adopt: the group belongs to this folder")
    }
}
