internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import TokenCaching

/// The store that records are taken from.
struct MigrationSource {
    let store: any RecordStore
    /// Of a file: nobody changes them meanwhile.
    private let fileKeys: GroupKeys?

    static func open(
        _ reference: StoreReference,
        in directory: GroupDirectory,
        _ access: KeyringAccess,
        _ unlocker: KeyUnlocker,
        _ time: WaitingTime
    ) throws(StorageError) -> MigrationSource {
        if reference.storage == .keyring {
            let place = try access.place(reference.collection)
            let store = try SecretServiceStore.open(in: directory, place, until: time.deadline)
            return MigrationSource(store: store, fileKeys: nil)
        }
        let store = try unlocker.giving(time) { () throws(StorageError) in
            try FileStore.open(in: directory, until: time.deadline) { slots, end throws(StorageError) in
                try unlocker.unlock(slots, until: end)
            }
        }
        do throws(StorageError) {
            let keys = try unlocker.unlock(store.keySlots, until: time.deadline)
            try RollbackGuard(directory: directory, unlocker: unlocker)
                .check(store, isPending: false, until: time.deadline)
            return MigrationSource(store: store, fileKeys: keys)
        } catch {
            store.close()
            throw error
        }
    }

    /// The kind of store that it is.
    var storage: StorageKind { fileKeys == nil ? .keyring : .file }

    /// The keys that its records are sealed with, once it is settled.
    var keys: GroupKeys {
        get throws(StorageError) {
            if let fileKeys { return fileKeys }
            guard let keyring = store as? SecretServiceStore else { throw StorageError(.storageMismatch) }
            return keyring.groupKeys
        }
    }

    /// Brings it to its newest state, under the keys of one epoch. Nobody changes it any more.
    func settle(_ time: WaitingTime) throws(StorageError) {
        if let keyring = store as? SecretServiceStore { try keyring.settle(within: time) }
        _ = try store.refresh(until: time.deadline)
    }

    /// The newest transaction.
    var sequence: UInt64 {
        get throws(StorageError) {
            if let file = store as? FileStore { return try file.newestSequence }
            if let keyring = store as? SecretServiceStore { return try keyring.newestSequence }
            return 0
        }
    }

    /// Hands over all records of each partition.
    func forEachPartition(
        _ time: WaitingTime,
        _ body: ([CarriedRecord]) throws(StorageError) -> Void
    ) throws(StorageError) {
        var records: [CarriedRecord] = []
        func take(_ record: CarriedRecord) throws(StorageError) {
            if let first = records.first, first.record.partition != record.record.partition {
                try body(records)
                records = []
            }
            records.append(record)
        }
        if let file = store as? FileStore { try file.forEachRecord(take) }
        if let keyring = store as? SecretServiceStore { try keyring.forEachRecord(within: time, take) }
        if !records.isEmpty { try body(records) }
    }
}
