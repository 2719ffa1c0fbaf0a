// SPDX-License-Identifier: Apache-2.0

import GroupDirectory
import RecordStorage
import Sealing

@testable import CacheAdministration
@testable import TokenCaching

/// What a third kind of store adds to production besides itself: how it is opened, emptied, and moved to and from.
struct RecordFileBackend: MovableBackend {
    var kind: StorageKind { .recordFiles }

    func needsState(in directory: GroupDirectory) throws(StorageError) -> Bool {
        try directory.identity(of: RecordList.fileName) != nil
    }

    func keepsRecords(in fileName: String) -> Bool {
        fileName == RecordList.fileName || fileName.hasPrefix("record-")
    }

    func open(
        _ opener: GroupOpener,
        in directory: GroupDirectory,
        plan: StoragePlan,
        time: WaitingTime
    ) throws(StorageError) -> OpenedGroup? {
        if plan.state == nil { throw missingState(in: directory) }
        return try opener.withUnlocker(plan) { unlocker throws(StorageError) in
            let store = try open(in: directory, unlocker, time)
            return OpenedGroup(
                group: opener.location.name.text,
                store: store,
                storage: kind,
                custody: .slots(store, unlocker, opener.location.ownKeyFiles),
                unlockedKeys: unlocker.unlockedKeys,
                directory: directory,
                location: plan.location(in: directory, unlocker.newestKeys)
            )
        }
    }

    func newestSequence(in store: StoreReference, for removal: LeftoverRemoval) throws(StorageError) -> UInt64? {
        guard try removal.directory.identity(of: RecordList.fileName) != nil else { return nil }
        let left = try RecordFileStore.open(in: removal.directory, until: removal.time.deadline) {
            [keys = removal.keys] (slots, _) throws(StorageError) in
            guard (try? slots.verify(with: keys)) != nil else { throw StorageError(.foreign) }
            return keys
        }
        defer { left.close() }
        return try left.newestSequence(until: removal.time.deadline)
    }

    func empty(_ store: StoreReference, for removal: LeftoverRemoval) throws(StorageError) {
        try removal.directory.withLock(.writer, until: removal.time.deadline) { () throws(StorageError) in
            try RecordFileStore.removeAll(in: removal.directory)
        }
    }

    func openSource(_ store: StoreReference, _ resources: MigrationResources) throws(StorageError) -> MigrationSource {
        let unlocker = resources.unlocker
        let store = try open(in: resources.directory, unlocker, resources.time)
        let keys = try unlocker.unlock(store.keySlots, until: resources.time.deadline)
        return MigrationSource(store: store, storage: kind, custody: .unlocked(keys))
    }

    func makeDestination(
        _ store: StoreReference,
        _ resources: MigrationResources,
        from source: MigrationSource
    ) throws(StorageError) -> any MigrationDestination {
        Destination(resources: resources, keys: source.keys)
    }

    private func open(
        in directory: GroupDirectory,
        _ unlocker: KeyUnlocker,
        _ time: WaitingTime
    ) throws(StorageError) -> RecordFileStore {
        try unlocker.restarting(time) { () throws(StorageError) in
            try RecordFileStore.open(in: directory, until: time.deadline) { slots, end throws(StorageError) in
                try unlocker.unlock(slots, until: end)
            }
        }
    }

    private struct Destination: MigrationDestination {
        let resources: MigrationResources
        let keys: GroupKeys

        var hasKeySlots: Bool { true }

        func check() {}

        func fill(
            sequence: UInt64,
            from source: (([RelocatedRecord]) throws(StorageError) -> Void) throws(StorageError) -> Void
        ) throws(StorageError) {
            var records: [RelocatedRecord] = []
            try source { part throws(StorageError) in records += part }
            try RecordFileStore.install(
                in: resources.directory,
                slots: resources.makeSlots(for: keys),
                sequence: sequence,
                records: records
            )
        }

        func open() throws(StorageError) -> any RecordStore {
            let keys = keys
            return try RecordFileStore.open(in: resources.directory, until: resources.time.deadline) { _, _ in keys }
        }

        func close() {}
    }
}
