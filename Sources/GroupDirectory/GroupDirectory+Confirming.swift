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

    /// Checks that the group is still kept in this kind of store and is not being migrated. Takes one system call if
    /// the state file is unchanged.
    ///
    /// Call it under the writer's lock before a change, because a migration announces itself under that lock. Readers
    /// call ``confirmReading(_:)``.
    ///
    /// - Throws: ``StorageError/Code/busy`` during a migration to another store, ``StorageError/Code/storageMismatch``
    ///   after it.
    package func confirm(_ storage: StorageKind) throws(StorageError) {
        let now = try identity(of: FileName.state)
        let known = Confirmation(storage: storage, identity: now)
        if confirmed.withLock({ $0 == known }) { return }
        // A missing file is fine, because a migration always writes it.
        if let state = try readState() {
            try check(state, storage)
            guard state.phase != .moving else { throw Self.isMoving(state, path: path(of: FileName.state)) }
        }
        confirmed.withLock { $0 = known }
    }

    /// Checks that the group is still kept in this kind of store, which includes the time of a migration to another
    /// store. Takes one system call if the state file is unchanged.
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
        // Do not remember a migration in progress, because writers must notice it.
        if state.phase != .moving { confirmed.withLock { $0 = known } }
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

    /// The error for a group that is being migrated to another kind of store.
    package static func isMoving(_ state: StoreState, path: String) -> StorageError {
        StorageError(
            .busy,
            path: path,
            detail: "its records are being moved to another kind of store",
            advice: movingAdvice(state)
        )
    }

    /// The advice in case the migration was interrupted.
    package static func movingAdvice(_ state: StoreState) -> String {
        guard let target = state.target?.storage.rawValue else {
            return "If no migration is running, run cachetool repair to rewrite the state file"
        }
        return
            "If no migration is running, run cachetool migrate --to \(target) to finish it, or cachetool repair if none "
            + "was ever started"
    }

    /// A confirmed state.
    struct Confirmation: Hashable, Sendable {
        let storage: StorageKind
        /// The identity of the state file.
        let identity: FileIdentity?
    }
}
