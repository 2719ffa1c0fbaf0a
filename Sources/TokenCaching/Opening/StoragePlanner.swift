// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
package import GroupDirectory
package import RecordStorage

/// Compares what the caller requested with what the folder of a group contains.
package struct StoragePlanner {
    let storage: StorageChoice
    /// Other ways to unlock an existing group in the file, if the storage is chosen automatically.
    let fallbackUnlocking: [FileUnlocking]
    let creates: Bool
    /// Chooses the store of a new group.
    let choose: () throws(StorageError) -> AutomaticChoice
    /// The kinds of store that can be opened. If a state file names another kind, a newer version wrote it.
    package var knownKinds = Set([any StorageBackend].all.map(\.kind))

    init(
        storage: StorageChoice,
        fallbackUnlocking: [FileUnlocking],
        creates: Bool,
        choose: @escaping () throws(StorageError) -> AutomaticChoice
    ) {
        self.storage = storage
        self.fallbackUnlocking = fallbackUnlocking
        self.creates = creates
        self.choose = choose
    }

    /// For an existing group.
    package static func forExisting(_ storage: StorageChoice, _ fallbackUnlocking: [FileUnlocking]) -> StoragePlanner {
        StoragePlanner(storage: storage, fallbackUnlocking: fallbackUnlocking, creates: false) {
            () throws(StorageError) in
            throw StorageError(.notFound)
        }
    }

    /// The content of the folder of a group.
    package struct Known {
        package let state: StoreState?
        package let journal: FileIdentity?
        /// The store that has files in the folder and needs a state file.
        package let needingState: (any StorageBackend)?

        package init(
            state: StoreState?,
            journal: FileIdentity?,
            needingState: (any StorageBackend)?
        ) {
            self.state = state
            self.journal = journal
            self.needingState = needingState
        }

        package var hasJournal: Bool { journal != nil }

        /// The store of the group according to the state file, or if that is missing according to the other files.
        package var storage: StorageKind? { state?.storage ?? (hasJournal ? .file : needingState?.kind) }

        /// The stores other than the one in use that may contain records of the group: those that the state file names,
        /// and those that have files in the folder.
        package var otherStores: [OtherStore] {
            var found = state?.target.map { [OtherStore($0, isTarget: true)] } ?? []
            if let leftover = state?.leftover { found.append(OtherStore(leftover)) }
            let kinds = (hasJournal ? [StorageKind.file] : []) + [needingState?.kind].compactMap(\.self)
            for kind in kinds where kind != storage && !found.contains(where: { $0.store.storage == kind }) {
                found.append(OtherStore(StoreReference(kind)))
            }
            return found
        }

        /// Whether the group exists, in any store.
        package var hasStore: Bool { hasJournal || storage != nil && state?.phase != .creating }
    }

    /// The content of the folder. An unreadable state file is ignored if a journal exists; opening the journal reports
    /// it and `repair` rewrites it.
    package static func known(
        _ directory: GroupDirectory,
        among backends: [any StorageBackend] = .all
    ) throws(StorageError) -> Known {
        do throws(StorageError) {
            // In this order: the files of other stores are created after the state file, and a journal that exists now
            // was created under that state or a later one.
            let needingState = try backends.needingState(in: directory)
            let state = try directory.readState()
            let journal = try directory.identity(of: FileStore.fileName)
            return Known(state: state, journal: journal, needingState: needingState)
        } catch {
            guard let journal = try directory.identity(of: FileStore.fileName) else { throw error }
            return Known(state: nil, journal: journal, needingState: nil)
        }
    }

    /// The plan for `directory`.
    ///
    /// - Throws: ``StorageError/Code/storageMismatch`` if the group has a store other than the requested one,
    ///   and errors of choosing.
    package func plan(
        _ directory: GroupDirectory,
        _ known: Known,
        choice: AutomaticChoice? = nil
    ) throws(StorageError) -> StoragePlan {
        var plan = try plan(in: directory, known, choice)
        plan.state = known.state
        plan.journal = known.journal
        plan.otherStores = known.otherStores
        return plan
    }

    private func plan(
        in directory: GroupDirectory,
        _ known: Known,
        _ choice: AutomaticChoice?
    ) throws(StorageError) -> StoragePlan {
        let path = directory.path(of: GroupDirectory.FileName.state)
        let state = known.state
        guard let kind = known.storage else { return try planNew(choice) }
        guard knownKinds.contains(kind) else { throw unknown(kind, path, hasJournal: known.hasJournal) }
        switch storage {
        case .automatic:
            return kind == .keyring ? keyring(state, nil) : try automatic(kind, state: state, choice: choice)
        case .keyring(let collection) where kind == .keyring:
            if let collection, collection != state?.collection, state?.phase != .creating {
                let known = state?.collection.map { "collection \($0)" } ?? "the default collection"
                throw StorageError(
                    .storageMismatch,
                    path: path,
                    detail: "it is kept in \(known) of the keyring",
                    advice: "Omit the collection; the group's own is then used"
                )
            }
            return keyring(state, collection)
        case .file(let unlocking) where kind == .file:
            return try file(state?.notedReason, unlocking: unlocking)
        // No record was acknowledged yet, so the next process decides.
        case .file where kind == .keyring && state?.phase == .creating: return try planNew(nil)
        case .keyring, .file, .memory:
            let detail = "it is kept in \(StorageLocation.Kind(kind).phrase)"
            let error = StorageError(.storageMismatch, path: path, detail: detail)
            throw known.hasJournal && kind != .file ? error.mentioningJournal : error
        }
    }

    private func unknown(_ kind: StorageKind, _ path: String, hasJournal: Bool) -> StorageError {
        let detail = "it is kept in \(kind.rawValue), which this version cannot open"
        if hasJournal { return StorageError(.unsupportedVersion, path: path, detail: detail).mentioningJournal }
        return StorageError(
            .unsupportedVersion,
            path: path,
            detail: detail,
            advice: "Update this program; if no newer version wrote that, and the keyring has the group, run "
                + "cachetool repair --adopt"
        )
    }

    private func planNew(_ choice: AutomaticChoice?) throws(StorageError) -> StoragePlan {
        switch storage {
        case .keyring(let collection):
            return StoragePlan(kind: .keyring, reason: "the keyring was requested", collection: collection)
        case .file(let unlocking): return try file(nil, unlocking: unlocking)
        case .automatic, .memory:
            // A group that does not exist and must not be created is planned as a file group, which then is not found.
            guard creates else { return try automatic(.file, state: nil, choice: nil) }
            let choice = if let choice { choice } else { try choose() }
            if choice.store == .keyring {
                return StoragePlan(kind: .keyring, reason: choice.reason, collection: nil)
            }
            return try automatic(.file, state: nil, choice: choice)
        }
    }

    private func keyring(_ state: StoreState?, _ collection: String?) -> StoragePlan {
        StoragePlan(
            kind: .keyring,
            reason: state?.notedReason ?? "the keyring was requested",
            // The collection in which a group was to be created is not authenticated.
            collection: collection ?? (state?.phase == .creating ? nil : state?.collection)
        )
    }

    private func file(
        _ reason: String?,
        unlocking: FileUnlocking
    ) throws(StorageError) -> StoragePlan {
        let materials = try KeyMaterial.all(in: unlocking)
        return StoragePlan(
            kind: .file,
            reason: reason ?? "the encrypted file was requested",
            collection: materials.collection,
            materials: materials,
            creation: materials
        )
    }

    /// A group with key slots that opens without the caller's help: with its own key file, or the keyring's secret for
    /// it.
    private func automatic(
        _ kind: StorageKind,
        state: StoreState?,
        choice: AutomaticChoice?
    ) throws(StorageError) -> StoragePlan {
        var materials = KeyMaterial.foundByLibrary
        for way in fallbackUnlocking { materials += try KeyMaterial.all(in: way) }
        var choice = choice
        if choice == nil, creates, state?.phase == .creating { choice = try choose() }
        return StoragePlan(
            kind: kind,
            reason: state?.notedReason ?? choice?.reason ?? "the journal was found",
            collection: materials.collection,
            materials: materials,
            creation: choice?.store == .fileWithKeyring ? [.keyring(collection: nil)] : [.ownKeyFile]
        )
    }
}
