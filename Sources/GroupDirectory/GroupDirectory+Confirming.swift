package import RecordStorage
internal import Synchronization
internal import SystemPackage

extension GroupDirectory {
    /// Whether the folder is not the one that lies there any more, and ever after. One system call.
    package func hasBeenMoved() -> Bool { (try? location.check()) == nil }

    /// Makes sure that the group is still kept in this kind of store, and nobody is taking it to another one. One system
    /// call, as long as nothing changed.
    ///
    /// Ask under the writer's lock before something is changed: who takes the group elsewhere says so under that lock.
    /// Readers ask ``confirmReading(_:)``.
    ///
    /// - Throws: ``StorageError/Code/busy`` while it is being taken elsewhere, ``StorageError/Code/storageMismatch`` once
    ///   it has been.
    package func confirm(_ storage: StorageKind) throws(StorageError) {
        let now = try identity(of: FileName.state)
        let known = Confirmation(storage: storage, identity: now)
        if confirmed.withLock({ $0 == known }) { return }
        // Without the file nobody can have taken it elsewhere.
        if let state = try readState() {
            try check(state, storage)
            guard state.phase != .moving else {
                throw StorageError(.busy, path: path(of: FileName.state), detail: Self.movingDetail)
            }
        }
        confirmed.withLock { $0 = known }
    }

    /// Makes sure that the group is still kept in this kind of store: while it is being taken to another one it is, and
    /// what is read there counts. One system call, as long as nothing changed.
    ///
    /// Ask after the shared word was loaded and before something is read, and where something is missing. A file that
    /// cannot be read says nothing.
    ///
    /// - Throws: ``StorageError/Code/storageMismatch`` once it is kept in another kind of store,
    ///   ``StorageError/Code/storageMoved`` once the folder was found to be another one.
    package func confirmReading(_ storage: StorageKind) throws(StorageError) {
        try location.checkKnown()
        guard let now = try? identity(of: FileName.state) else { return try location.check() }
        let known = Confirmation(storage: storage, identity: now)
        if confirmed.withLock({ $0 == known }) { return }
        guard let state = try? readState() else { return }
        try check(state, storage)
        // Writers have to hear of one that is being taken elsewhere.
        if state.phase != .moving { confirmed.withLock { $0 = known } }
    }

    /// Keeps what a file said that was read for another reason, so that it need not be read again.
    func noteConfirmed(_ state: StoreState, _ identity: FileIdentity) {
        guard state.phase == .ready else { return }
        confirmed.withLock { $0 = Confirmation(storage: state.storage, identity: identity) }
    }

    private func check(_ state: StoreState, _ storage: StorageKind) throws(StorageError) {
        guard state.storage == storage || state.phase == .creating else {
            throw StorageError(
                .storageMismatch,
                path: path(of: FileName.state),
                detail: "its records were taken to another kind of store; open the group anew"
            )
        }
    }

    /// What is said of a group that is being taken to another kind of store.
    package static let movingDetail = "its records are being taken to another kind of store; " + movingAdvice

    /// What helps where nobody is at it any more.
    package static let movingAdvice =
        "where that was interrupted, cachetool migrate --to keyring or cachetool migrate --to file finishes it, or undoes it; where "
        + "nobody began it, cachetool repair writes the state file anew"

    /// What was found to be so.
    struct Confirmation: Hashable, Sendable {
        let storage: StorageKind
        /// Of the file that says so.
        let identity: FileIdentity?
    }
}
