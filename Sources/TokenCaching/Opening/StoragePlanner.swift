internal import FileStorage
package import GroupDirectory
package import RecordStorage
internal import SecretServiceStorage

/// Holds what was asked for against what the folder of a group says.
package struct StoragePlanner {
    let storage: StorageChoice
    /// What else may open an existing group in the file, where the storage is chosen automatically.
    let fallbackUnlocking: [FileUnlocking]
    let creates: Bool
    /// Finds out what a new group gets.
    let choose: () throws(StorageError) -> AutomaticChoice
    /// Whether a group that is on its way to another store is taken for what it still is.
    private var allowsMoving = false

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

    /// For a group that is there, also while it is on its way to another store.
    package static func forRepair(_ storage: StorageChoice, _ fallbackUnlocking: [FileUnlocking]) -> StoragePlanner {
        var planner = forExisting(storage, fallbackUnlocking)
        planner.allowsMoving = true
        return planner
    }

    /// For a group that is there.
    static func forExisting(_ storage: StorageChoice, _ fallbackUnlocking: [FileUnlocking]) -> StoragePlanner {
        StoragePlanner(storage: storage, fallbackUnlocking: fallbackUnlocking, creates: false) {
            () throws(StorageError) in
            throw StorageError(.notFound)
        }
    }

    /// What the folder of a group says.
    package struct Known {
        package let state: StoreState?
        package let journal: FileIdentity?
        /// Whether there is a list of items in the keyring.
        package let hasItemList: Bool

        package init(
            state: StoreState?,
            journal: FileIdentity?,
            hasItemList: Bool
        ) {
            self.state = state
            self.journal = journal
            self.hasItemList = hasItemList
        }

        package var hasJournal: Bool { journal != nil }

        /// Where the group is, as the state file says; where that is gone, as the other files tell.
        var storage: StorageKind? { state?.storage ?? (hasJournal ? .file : hasItemList ? .keyring : nil) }

        /// Whether the group is there, in one store or another.
        package var hasStore: Bool { hasJournal || storage != nil && state?.phase != .creating }
    }

    /// What the folder says. A state file that cannot be read is for the file store to report, and for repair to mend,
    /// where there is a journal.
    package static func known(_ directory: GroupDirectory) throws(StorageError) -> Known {
        do throws(StorageError) {
            // In this order: a list came after its state file, and a journal that is there now under that state or a later one.
            let hasItemList = try SecretServiceStore.hasList(in: directory)
            let state = try directory.readState()
            let journal = try directory.identity(of: FileStore.fileName)
            return Known(state: state, journal: journal, hasItemList: hasItemList)
        } catch {
            guard let journal = try directory.identity(of: FileStore.fileName) else { throw error }
            return Known(state: nil, journal: journal, hasItemList: false)
        }
    }

    /// What is to be done in `directory`.
    ///
    /// - Throws: ``StorageError/Code/storageMismatch`` if the group has another store than the one asked for,
    ///   ``StorageError/Code/busy`` while it is taken from one to another, and what choosing meets.
    package func plan(
        _ directory: GroupDirectory,
        _ known: Known,
        choice: AutomaticChoice? = nil
    ) throws(StorageError) -> StoragePlan {
        var plan = try plan(in: directory, known, choice)
        plan.state = known.state
        plan.journal = known.journal
        return plan
    }

    private func plan(
        in directory: GroupDirectory,
        _ known: Known,
        _ choice: AutomaticChoice?
    ) throws(StorageError) -> StoragePlan {
        let path = directory.path(of: GroupDirectory.FileName.state)
        let state = known.state
        if state?.phase == .moving, !allowsMoving {
            throw StorageError(.busy, path: path, detail: GroupDirectory.movingDetail)
        }
        switch (known.storage, storage) {
        case (nil, _): return try planNew(choice)
        case (.keyring?, .automatic): return keyring(state, nil)
        case (.keyring?, .keyring(let collection)):
            if let collection, collection != state?.collection, state?.phase != .creating {
                let known = state?.collection.map { "collection \($0)" } ?? "the default collection"
                throw StorageError(.storageMismatch, path: path, detail: "it is kept in \(known) of the keyring")
            }
            return keyring(state, collection)
        // Nothing was acknowledged yet: who comes next decides.
        case (.keyring?, .file) where state?.phase == .creating: return try planNew(nil)
        case (.file?, .automatic): return try automaticFile(state, choice)
        case (.file?, .file(let unlocking)):
            return try file(state?.notedReason, collection: state?.collection, unlocking: unlocking)
        case (.file?, _):
            throw StorageError(.storageMismatch, path: path, detail: "it is kept in the encrypted file")
        case (.keyring?, _):
            let error = StorageError(.storageMismatch, path: path, detail: "it is kept in the keyring")
            throw known.hasJournal ? error.mentioningJournal : error
        case (let kind?, _):
            let detail = "it is kept in \(kind.rawValue), which this version cannot open"
            if known.hasJournal {
                throw StorageError(.unsupportedVersion, path: path, detail: detail).mentioningJournal
            }
            throw StorageError(
                .unsupportedVersion,
                path: path,
                detail: detail
                    + "; if no newer version wrote that, and the keyring has the group, cachetool repair --adopt takes it "
                    + "from there"
            )
        }
    }

    private func planNew(_ choice: AutomaticChoice?) throws(StorageError) -> StoragePlan {
        switch storage {
        case .keyring(let collection):
            return StoragePlan(kind: .keyring, reason: "the keyring was asked for", collection: collection)
        case .file(let unlocking): return try file(nil, collection: nil, unlocking: unlocking)
        case .automatic, .memory:
            // What is not to be created is not there.
            guard creates else { return try automaticFile(nil, nil) }
            let choice = if let choice { choice } else { try choose() }
            if choice.store == .keyring {
                return StoragePlan(kind: .keyring, reason: choice.reason, collection: nil)
            }
            return try automaticFile(nil, choice)
        }
    }

    private func keyring(_ state: StoreState?, _ collection: String?) -> StoragePlan {
        StoragePlan(
            kind: .keyring,
            reason: state?.notedReason ?? "the keyring was asked for",
            // Nobody vouches for where a group was to be made.
            collection: collection ?? (state?.phase == .creating ? nil : state?.collection)
        )
    }

    private func file(
        _ reason: String?,
        collection: String?,
        unlocking: FileUnlocking
    ) throws(StorageError) -> StoragePlan {
        let materials = try KeyMaterial.all(in: unlocking)
        return StoragePlan(
            kind: .file,
            reason: reason ?? "the encrypted file was asked for",
            collection: collection,
            materials: materials,
            creation: materials
        )
    }

    /// A group in the file that opens by itself: with its own key file, or what the keyring has for it.
    private func automaticFile(_ state: StoreState?, _ choice: AutomaticChoice?) throws(StorageError) -> StoragePlan {
        var materials: [KeyMaterial] = [.ownKeyFile, .keyring(collection: nil)]
        for way in fallbackUnlocking { materials += try KeyMaterial.all(in: way) }
        var choice = choice
        if choice == nil, creates, state?.phase == .creating { choice = try choose() }
        return StoragePlan(
            kind: .file,
            reason: state?.notedReason ?? choice?.reason ?? "the journal was found",
            collection: state?.collection,
            materials: materials,
            creation: choice?.store == .fileWithKeyring ? [.keyring(collection: nil)] : [.ownKeyFile]
        )
    }
}
