// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory
package import RecordStorage
package import Sealing
internal import SystemPackage

/// A store that may contain records of a group that uses another one.
package struct OtherStore: Hashable, Sendable {
    package let store: StoreReference
    /// Whether an unfinished migration was copying the records there. Such a copy has the number of the next transaction,
    /// but nothing that the store in use does not have.
    package let isTarget: Bool

    package init(_ store: StoreReference, isTarget: Bool = false) {
        self.store = store
        self.isTarget = isTarget
    }
}

/// What another store has of a group.
package struct StoreCopy {
    private let other: OtherStore
    /// The newest transaction.
    package let sequence: UInt64

    package init(_ other: OtherStore, sequence: UInt64) {
        self.other = other
        self.sequence = sequence
    }

    /// Compares it with the store in use.
    ///
    /// - Throws: ``StorageError/Code/rollbackSuspected`` if it is newer, so that the state file leads to the older of two.
    package func check(
        _ current: UInt64,
        _ storage: StorageKind,
        in directory: GroupDirectory
    ) throws(StorageError) {
        guard sequence > current + (other.isTarget ? 1 : 0) else { return }
        let (here, there) = (StorageLocation.Kind(storage).phrase, StorageLocation.Kind(other.store.storage).phrase)
        throw StorageError(
            .rollbackSuspected,
            path: directory.path(of: GroupDirectory.FileName.state),
            detail:
                "the state file leads to change \(current) of the group in \(here), but \(there) has change \(sequence)",
            advice: other.store.storage == .file
                ? "Run cachetool repair, which makes the file the group again"
                : "To use the newer records, move the file journal away and run cachetool repair --adopt; to use the older "
                    + "ones, run cachetool repair --accept-rollback"
        )
    }
}

/// Empties a store that is not the group's. The store in use has been opened with its keys; the store to empty must open
/// too, belong to the same group, be of another kind, and be no newer; and if it lies outside the folder, the signed state
/// file must name this folder. If this is interrupted, the records removed so far stay removed.
package struct LeftoverRemoval {
    package let directory: GroupDirectory
    package let access: KeyringAccess
    package let time: WaitingTime
    package let ownKeyFiles: OwnKeyFiles
    /// Opens a leftover that has key slots, if the keys of the group have changed since.
    package let unlocker: KeyUnlocker
    /// The kind of store in use.
    let storage: StorageKind
    /// Whether the store in use has key slots, so that the secrets outside the folder may open it.
    let hasKeySlots: Bool
    /// The keys of the store in use.
    package let keys: GroupKeys
    /// The newest transaction of the store in use.
    let sequence: UInt64
    private let backends: [any StorageBackend]

    package init(
        directory: GroupDirectory,
        access: KeyringAccess,
        time: WaitingTime,
        ownKeyFiles: OwnKeyFiles,
        unlocker: KeyUnlocker,
        storage: StorageKind,
        hasKeySlots: Bool,
        keys: GroupKeys,
        sequence: UInt64,
        backends: [any StorageBackend]
    ) {
        self.directory = directory
        self.access = access
        self.time = time
        self.ownKeyFiles = ownKeyFiles
        self.unlocker = unlocker
        self.storage = storage
        self.hasKeySlots = hasKeySlots
        self.keys = keys
        self.sequence = sequence
        self.backends = backends
    }

    /// Opens another store and compares it with the one in use.
    ///
    /// - Returns: its newest transaction; `nil` if it has nothing of the group.
    /// - Throws: ``StorageError/Code/rollbackSuspected`` if it is newer than the store in use,
    ///   ``StorageError/Code/foreign`` if it contains something else, ``StorageError/Code/unsupportedVersion`` for an
    ///   unknown kind of store, and errors of both stores.
    func compare(_ other: OtherStore) throws(StorageError) -> UInt64? {
        guard other.store.storage != storage else {
            throw StorageError(.storageMismatch, path: directory.path.string, detail: "the group uses that store")
        }
        let newest = try backends.backend(of: other.store.storage).newestSequence(in: other.store, for: self)
        if let newest { try StoreCopy(other, sequence: newest).check(sequence, storage, in: directory) }
        return newest
    }

    /// Empties another store, and removes the secrets that the library keeps outside the folder for key slots, unless
    /// something still needs them. The caller holds the lock for keys.
    ///
    /// - Parameter other: the store to empty.
    /// - Throws: the errors of ``compare(_:)``; ``StorageError/Code/groupElsewhere`` if the store is in the keyring and
    ///   may be another folder's.
    package func remove(_ other: OtherStore) throws(StorageError) {
        let (store, newest) = (other.store, try compare(other))
        // In a copy of the folder, what lies outside belongs to the original.
        let isOwn = directory.hasOwnSecrets(of: keys, try directory.readState())
        if newest != nil, store.storage.isInKeyring, !isOwn { throw StoreState.isCopy(in: directory) }
        try backends.backend(of: store.storage).empty(store, for: self)
        guard isOwn, !hasKeySlots else { return }
        let secrets = ExternalSecrets(
            of: keys.uuid,
            ownKeyFiles: ownKeyFiles,
            keyringAccess: access,
            collection: store.collection
        )
        for secret in try secrets.all() where !secret.isNewer(than: keys) { try secret.remove(until: time.deadline) }
    }

    /// Empties all other stores that may contain records of the group.
    ///
    /// - Throws: the reason why any is left, such as ``StorageError/Code/busy`` while a migration or a change of keys is
    ///   running.
    func clearUp() throws(StorageError) {
        try directory.withLock(.keys, until: .after(.zero)) { () throws(StorageError) in
            let known = try StoragePlanner.known(directory, among: backends)
            guard known.storage == storage else { return }
            for other in known.otherStores { try remove(other) }
            try directory.changeState(with: keys, until: time.deadline) { ($0.target, $0.leftover) = (nil, nil) }
        }
    }
}
