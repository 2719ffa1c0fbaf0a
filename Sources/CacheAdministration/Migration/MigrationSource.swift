internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import TokenCaching

/// The store that records are migrated from.
struct MigrationSource {
    let store: any AdministrableStore
    /// The kind of store that it is.
    let storage: StorageKind
    private let custody: Custody

    /// How the keys of its records are kept.
    private enum Custody {
        /// They were unlocked, and do not change meanwhile.
        case unlocked(GroupKeys)
        case store(any KeyHoldingStore)
    }

    static func open(
        _ reference: StoreReference,
        in directory: GroupDirectory,
        access: KeyringAccess,
        unlocker: KeyUnlocker,
        within time: WaitingTime
    ) throws(StorageError) -> MigrationSource {
        if reference.storage == .keyring {
            let location = try access.location(reference.collection)
            let store = try SecretServiceStore.open(in: directory, location, until: time.deadline)
            return MigrationSource(store: store, storage: .keyring, custody: .store(store))
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
            return MigrationSource(store: store, storage: .file, custody: .unlocked(keys))
        } catch {
            store.close()
            throw error
        }
    }

    /// The keys that its records are sealed with, once it is settled.
    var keys: GroupKeys {
        switch custody {
        case .unlocked(let keys): keys
        case .store(let store): store.groupKeys
        }
    }

    /// Brings it to its newest state, under the keys of one epoch. It does not change any more.
    func settle(_ time: WaitingTime) throws(StorageError) {
        try store.settle(within: time)
        _ = try store.refresh(until: time.deadline)
    }

    /// Passes all records of each partition to `body`.
    func forEachPartition(
        _ time: WaitingTime,
        _ body: ([RelocatedRecord]) throws(StorageError) -> Void
    ) throws(StorageError) {
        var records: [RelocatedRecord] = []
        try store.forEachRecord(within: time) { record throws(StorageError) in
            if let first = records.first, first.record.partition != record.record.partition {
                try body(records)
                records = []
            }
            records.append(record)
        }
        if !records.isEmpty { try body(records) }
    }
}
