// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// The store that records are migrated from.
struct MigrationSource {
    let store: any AdministrableStore
    /// The kind of store that it is.
    let storage: StorageKind
    let custody: Custody

    /// How the keys of its records are kept.
    enum Custody {
        /// They were unlocked, and do not change meanwhile.
        case unlocked(GroupKeys)
        case store(any KeyHoldingStore)
    }

    /// The keys that its records are sealed with, once it is settled.
    var keys: GroupKeys {
        switch custody {
        case .unlocked(let keys): keys
        case .store(let store): store.groupKeys
        }
    }

    /// Whether it has key slots, whose key files and keyring items must stay while it is in use.
    var hasKeySlots: Bool {
        switch custody {
        case .unlocked: true
        case .store: false
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
