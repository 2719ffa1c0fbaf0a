// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
internal import Synchronization
internal import SystemPackage

extension GroupDirectory {
    /// Whether the path leads to another folder now. Once true, it stays true. Takes one system call.
    package func hasBeenMoved() -> Bool { (try? location.check()) == nil }

    /// The reason of an error: what looks damaged, missing, or like another group, may be the remains of a group that was
    /// removed or replaced after it was opened.
    package func cause(of error: StorageError) -> StorageError {
        switch error.code {
        case .damaged, .foreign, .notFound, .keyMissing, .keyRejected, .keyFileInvalid, .keyringItemMissing:
            do throws(StorageError) {
                try location.check()
                return error
            } catch let removal {
                return removal
            }
        default:
            return error
        }
    }

    /// Checks that the group is still kept in this kind of store. Takes one system call if the state file is unchanged.
    ///
    /// Call it under the writer's lock before a change, because a migration holds that lock until the group is in its
    /// new store. Readers call ``confirmReading(_:)``.
    ///
    /// - Throws: ``StorageError/Code/storageMismatch`` after a migration to another store.
    package func confirm(_ storage: StorageKind) throws(StorageError) {
        let now = try identity(of: FileName.state)
        let known = Confirmation(storage: storage, identity: now)
        if confirmed.withLock({ $0 == known }) { return }
        // A missing file is fine, because a migration always writes it.
        if let state = try readState() { try check(state, storage) }
        confirmed.withLock { $0 = known }
    }

    /// Checks that the group is still kept in this kind of store, without a lock. Takes one system call if the state file
    /// is unchanged.
    ///
    /// Call it after loading the shared word and before reading, and whenever a file or record is missing. Ignores an
    /// unreadable state file.
    ///
    /// - Throws: ``StorageError/Code/storageMismatch`` once the group is kept in another kind of store,
    ///   ``StorageError/Code/storageMoved`` once the path was found to lead to another folder.
    package func confirmReading(_ storage: StorageKind) throws(StorageError) {
        try location.checkKnown()
        guard let now = try? identity(of: FileName.state) else { return try location.check() }
        let known = Confirmation(storage: storage, identity: now)
        if confirmed.withLock({ $0 == known }) { return }
        guard let state = try? readState() else { return }
        try check(state, storage)
        confirmed.withLock { $0 = known }
    }

    /// Remembers a state file that was read elsewhere, to avoid reading it again.
    func noteConfirmed(_ state: StoreState, _ identity: FileIdentity) {
        guard state.phase == .ready else { return }
        confirmed.withLock { $0 = Confirmation(storage: state.storage, identity: identity) }
    }

    private func check(_ state: StoreState, _ storage: StorageKind) throws(StorageError) {
        guard state.storage == storage || state.phase == .creating else {
            throw StorageError(
                .storageMismatch,
                path: path(of: FileName.state),
                detail: "its records were moved to another kind of store",
                advice: "Open the group again"
            )
        }
    }

    /// A confirmed state.
    struct Confirmation: Hashable, Sendable {
        let storage: StorageKind
        /// The identity of the state file.
        let identity: FileIdentity?
    }
}
