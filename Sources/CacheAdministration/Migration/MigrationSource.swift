// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// The store that records are migrated from.
struct MigrationSource {
    let store: any AdministrableStore
    /// The kind of store.
    let storage: StorageKind
    let custody: Custody

    /// Who holds the keys of the records.
    enum Custody {
        /// The keys were unlocked, and do not change during the migration.
        case unlocked(GroupKeys)
        case store(any KeyHoldingStore)
    }

    /// The keys that seal the records, once the store is settled.
    var keys: GroupKeys {
        switch custody {
        case .unlocked(let keys): keys
        case .store(let store): store.groupKeys
        }
    }

    /// Whether the store has key slots, whose key files and keyring items must stay while it is in use.
    var hasKeySlots: Bool {
        switch custody {
        case .unlocked: true
        case .store: false
        }
    }

    /// Brings the store to its newest state, under the keys of one epoch, after which it no longer changes.
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
