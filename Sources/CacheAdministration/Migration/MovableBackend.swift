// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import TokenCaching

/// A kind of store that groups can be migrated to and from.
protocol MovableBackend: StorageBackend {
    /// Opens the store that the records are read from.
    func openSource(_ store: StoreReference, _ resources: MigrationResources) throws(StorageError) -> MigrationSource

    /// Prepares the store that the records are written to, before it becomes the group's. They stay sealed under the
    /// keys of `source`.
    func makeDestination(
        _ store: StoreReference,
        _ resources: MigrationResources,
        from source: MigrationSource
    ) throws(StorageError) -> any MigrationDestination
}

extension KnownStorage {
    fileprivate var movable: any MovableBackend {
        switch self {
        case .file: FileBackend()
        case .keyring: KeyringBackend()
        }
    }

    /// Repairs a group that is kept in a store of this kind.
    func repair(
        with opener: GroupOpener,
        in directory: GroupDirectory,
        _ plan: StoragePlan,
        isDryRun: Bool
    ) throws(StorageError) -> RepairReport {
        switch self {
        case .file: try opener.repairFile(in: directory, plan, isDryRun: isDryRun)
        case .keyring: try opener.repairKeyring(in: directory, plan, isDryRun: isDryRun)
        }
    }

    /// Tries whether a store of this kind can be written, and adds the finding.
    func probeWrite(in directory: GroupDirectory, for examination: inout GroupExamination) {
        switch self {
        case .file: examination.probeFolder(directory)
        case .keyring: examination.probeKeyring(directory)
        }
    }
}

extension [any MovableBackend] {
    /// The kinds of store that this version knows.
    static var all: [any MovableBackend] { KnownStorage.allCases.map(\.movable) }

    /// The backend of this kind.
    ///
    /// - Throws: ``StorageError/Code/unsupportedVersion`` if there is none.
    func backend(of kind: StorageKind) throws(StorageError) -> any MovableBackend {
        if let backend = first(where: { $0.kind == kind }) { return backend }
        throw StorageError(
            .unsupportedVersion,
            detail: "this version cannot migrate a group to or from \(kind.rawValue)"
        )
    }
}

extension StorageChoice {
    /// The store that a migration to this choice creates, and the secrets that will open it if it has key slots.
    ///
    /// - Throws: ``StorageError/Code/invalidRequest`` if a group cannot be migrated to it.
    func migrationTarget() throws(StorageError) -> (store: StoreReference, creation: [KeyMaterial]) {
        switch self {
        case .keyring(let collection): return (StoreReference(.keyring, collection: collection), [])
        case .file(let unlocking):
            let creation = try KeyMaterial.all(in: unlocking)
            try GroupOpener.check(creation)
            return (StoreReference(.file, collection: creation.collection), creation)
        case .automatic, .memory:
            let stores = [any MovableBackend].all.reversed().map { StorageLocation.Kind($0.kind).phrase }
            throw StorageError(
                .invalidRequest,
                detail: "a group can be migrated only to " + stores.joined(separator: " or to ")
            )
        }
    }
}

/// What a migration needs to open the old store and to create the new one.
struct MigrationResources {
    let directory: GroupDirectory
    let access: KeyringAccess
    let time: WaitingTime
    let ownKeyFiles: OwnKeyFiles
    /// Opens a source that has key slots, and creates the secrets for a target that has them.
    let unlocker: KeyUnlocker
    /// The secrets that the caller gave for the key slots of the new store.
    var given: [SlotSecret] = []
}

/// The store that records are migrated to, before it becomes the group's.
protocol MigrationDestination {
    /// Whether it has key slots: see ``LeftoverRemoval/hasKeySlots``.
    var hasKeySlots: Bool { get }

    /// Checks that the store can hold the group, before anything is changed.
    func check() throws(StorageError)

    /// Writes all records of `source`, partition by partition. The caller holds the writer's lock.
    func fill(
        sequence: UInt64,
        from source: (([RelocatedRecord]) throws(StorageError) -> Void) throws(StorageError) -> Void
    ) throws(StorageError)

    /// Opens the new store, and reads it from scratch. The caller holds the writer's lock.
    func open() throws(StorageError) -> any RecordStore

    /// Releases its resources.
    func close()
}

extension MigrationResources {
    /// Creates the key slots of a group that moves to a store with key slots.
    func makeSlots(for keys: GroupKeys) throws(StorageError) -> KeySlots {
        let own = try unlocker.restarting(time) { () throws(StorageError) in
            try unlocker.makeOwn(for: keys, until: time.deadline)
        }
        let newSlots = own + given.map { NewSlot($0, parameters: unlocker.passphraseCost) }
        return try sealing(try KeySlots.create(for: keys, slots: newSlots))
    }
}

extension FileBackend: MovableBackend {
    func openSource(_ store: StoreReference, _ resources: MigrationResources) throws(StorageError) -> MigrationSource {
        let (unlocker, time) = (resources.unlocker, resources.time)
        let store = try unlocker.restarting(time) { () throws(StorageError) in
            try FileStore.open(in: resources.directory, until: time.deadline) { slots, end throws(StorageError) in
                try unlocker.unlock(slots, until: end)
            }
        }
        do throws(StorageError) {
            let keys = try unlocker.unlock(store.keySlots, until: time.deadline)
            try RollbackGuard(directory: resources.directory, unlocker: unlocker)
                .check(store, isPending: false, until: time.deadline)
            return MigrationSource(store: store, storage: kind, custody: .unlocked(keys))
        } catch {
            store.close()
            throw error
        }
    }

    func makeDestination(
        _ store: StoreReference,
        _ resources: MigrationResources,
        from source: MigrationSource
    ) throws(StorageError) -> any MigrationDestination {
        FileDestination(resources: resources, keys: source.keys)
    }
}

private struct FileDestination: MigrationDestination {
    let resources: MigrationResources
    let keys: GroupKeys

    var hasKeySlots: Bool { true }

    func check() {}

    func fill(
        sequence: UInt64,
        from source: (([RelocatedRecord]) throws(StorageError) -> Void) throws(StorageError) -> Void
    ) throws(StorageError) {
        try FileStore.install(
            in: resources.directory,
            keys: keys,
            slots: resources.makeSlots(for: keys),
            sequence: sequence
        ) { put throws(StorageError) in
            try source { records throws(StorageError) in
                for record in records { try put(record) }
            }
        }
    }

    func open() throws(StorageError) -> any RecordStore {
        let (keys, directory) = (keys, try resources.directory.readOnlyDirectory())
        return try FileStore.open(in: directory, until: resources.time.deadline) { _, _ in keys }
    }

    func close() {}
}

extension KeyringBackend: MovableBackend {
    func openSource(_ store: StoreReference, _ resources: MigrationResources) throws(StorageError) -> MigrationSource {
        let location = try resources.access.location(store.collection)
        let store = try SecretServiceStore.open(in: resources.directory, location, until: resources.time.deadline)
        return MigrationSource(store: store, storage: kind, custody: .store(store))
    }

    func makeDestination(
        _ store: StoreReference,
        _ resources: MigrationResources,
        from source: MigrationSource
    ) throws(StorageError) -> any MigrationDestination {
        let location = try resources.access.location(store.collection)
        return KeyringDestination(
            loader: try KeyringBulkLoader(in: resources.directory, location, keys: source.keys, resources.time)
        )
    }
}

private struct KeyringDestination: MigrationDestination {
    let loader: KeyringBulkLoader

    var hasKeySlots: Bool { false }

    func check() throws(StorageError) { try loader.checkRoom() }

    func fill(
        sequence: UInt64,
        from source: (([RelocatedRecord]) throws(StorageError) -> Void) throws(StorageError) -> Void
    ) throws(StorageError) {
        try loader.begin()
        try source { records throws(StorageError) in try loader.put(records, as: sequence) }
        try loader.finish(sequence)
    }

    func open() throws(StorageError) -> any RecordStore { try loader.store() }

    func close() { loader.close() }
}
