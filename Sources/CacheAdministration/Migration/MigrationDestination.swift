internal import FileStorage
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import TokenCaching

/// The store that records are migrated to, before it becomes the group's.
struct MigrationDestination {
    private let target: StoreReference
    private let directory: GroupDirectory
    private let access: KeyringAccess
    private let unlocker: KeyUnlocker
    private let keys: GroupKeys
    private let time: WaitingTime
    /// Present if the target is the keyring.
    private let cargo: KeyringBulkLoader?

    init(
        _ target: StoreReference,
        in directory: GroupDirectory,
        access: KeyringAccess,
        unlocker: KeyUnlocker,
        within time: WaitingTime,
        keys: GroupKeys
    ) throws(StorageError) {
        self.target = target
        self.directory = directory
        self.access = access
        self.unlocker = unlocker
        self.keys = keys
        self.time = time
        cargo =
            target.storage == .keyring
            ? try KeyringBulkLoader(in: directory, access.location(target.collection), keys: keys, time) : nil
    }

    func close() { cargo?.close() }

    /// Checks that it can take the group, before anything is changed.
    func check() throws(StorageError) { try cargo?.checkRoom() }

    /// Writes all records of `source`, partition by partition.
    func fill(
        sequence: UInt64,
        _ passphraseCost: KDFParameters,
        from source: (([RelocatedRecord]) throws(StorageError) -> Void) throws(StorageError) -> Void
    ) throws(StorageError) {
        if let cargo {
            try cargo.begin()
            try source { records throws(StorageError) in try cargo.put(records, as: sequence) }
            return try cargo.finish(sequence)
        }
        // The group is in the keyring, so none of the slot items there are in use: an earlier attempt may have left
        // some.
        try access.withSlots(target.collection) { items throws(StorageError) in
            try items.removeAll(of: keys.uuid, until: time.deadline)
        }
        let newSlots = try unlocker.giving(time) { () throws(StorageError) in
            let given = try unlocker.gatherSecrets()
            return try unlocker.makeOwn(for: keys, until: time.deadline)
                + given.map { NewSlot($0, parameters: passphraseCost) }
        }
        let slots = try sealing(try KeySlots.create(for: keys, slots: newSlots))
        try FileStore.install(
            in: directory,
            keys: keys,
            slots: slots,
            sequence: sequence,
            until: time.deadline
        ) { put throws(StorageError) in
            try source { records throws(StorageError) in
                for record in records { try put(record) }
            }
        }
    }

    /// Opens the store that was written, and reads it from scratch.
    func open() throws(StorageError) -> any RecordStore {
        if let cargo { return try cargo.store() }
        let keys = keys
        return try FileStore.open(in: directory, until: time.deadline) { _, _ in keys }
    }
}
