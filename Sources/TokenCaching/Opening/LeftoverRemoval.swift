// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory
package import RecordStorage
package import Sealing
internal import SystemPackage

/// Empties a store that is not, or not yet, the group's. The store in use has been opened with its keys; the store to
/// empty must belong to the same group, be of another kind, and be no newer. If this is interrupted, the records
/// removed so far stay removed.
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

    /// Empties a store, and removes the secrets that the library keeps outside the folder for key slots, unless
    /// something still needs them. The caller holds the lock for keys.
    ///
    /// - Parameter store: the store to empty.
    /// - Throws: ``StorageError/Code/foreign`` if it contains something else, ``StorageError/Code/unsupportedVersion``
    ///   for an unknown kind of store, and errors of both stores.
    package func remove(_ store: StoreReference) throws(StorageError) {
        guard store.storage != storage else {
            throw StorageError(.storageMismatch, path: directory.path.string, detail: "the group uses that store")
        }
        try backends.backend(of: store.storage).remove(store, for: self)
        // The store in use, or the group of which this folder is a copy, still needs these to open.
        let state = try directory.readState()
        guard !hasKeySlots, directory.hasOwnSecrets(of: keys, state) else { return }
        let secrets = ExternalSecrets(
            of: keys.uuid,
            ownKeyFiles: ownKeyFiles,
            keyringAccess: access,
            collection: store.collection
        )
        for secret in try secrets.all() where !secret.isNewer(than: keys) { try secret.remove(until: time.deadline) }
    }

    /// Checks that a leftover is no newer than the store in use.
    ///
    /// - Parameters:
    ///   - newest: the newest transaction of the leftover.
    ///   - location: the place of the leftover, for error messages.
    /// - Throws: ``StorageError/Code/foreign`` if it is newer.
    package func check(_ newest: UInt64, in location: String) throws(StorageError) {
        guard newest > sequence else { return }
        throw StorageError(
            .foreign,
            path: directory.path.string,
            detail:
                "the group's records in \(location) are newer (change \(newest)) than those of the store in use "
                + "(change \(sequence)) and were not removed",
            advice: "Back them up, then move them away"
        )
    }
}

extension LeftoverRemoval {
    /// Empties the store that the group was migrated from, if the migration was killed before doing so. Does nothing
    /// during a migration or a change of keys.
    func clearUp() throws(StorageError) {
        guard let lock = try directory.tryLock(.keys) else { return }
        if let state = try directory.readState(), state.phase == .ready, let leftover = state.leftover {
            guard state.isAuthentic(under: keys) else { throw state.unauthenticated(in: directory) }
            try remove(leftover)
            try directory.changeState(with: keys, until: time.deadline) { state in
                if state.leftover == leftover { state.leftover = nil }
            }
        }
        lock.release()
    }
}
