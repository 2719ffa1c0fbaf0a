internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage

/// Notices an older journal in the place of a newer one, for groups that have a key slot in the keyring: there stands how
/// far the group had come at the last sign-out, removal or change of keys.
///
/// What the keyring cannot be told at once stays pending, and is told when the group is opened next.
struct RollbackGuard: Sendable {
    let directory: GroupDirectory
    let unlocker: KeyUnlocker

    private var access: KeyringAccess { unlocker.keyringAccess }

    /// How long the keyring is waited for at most, since nobody asked for it.
    private static let longestWait = Duration.seconds(1)

    /// Compares a journal that was just opened with what the keyring knows. A keyring that cannot be asked now says nothing.
    ///
    /// - Throws: ``StorageError/Code/rollbackSuspected``.
    func check(_ store: FileStore, isPending: Bool, until deadline: Deadline) throws(StorageError) {
        let slots = try store.keySlots
        guard slots.slots.contains(where: { $0.kind == .keyring }) else { return }
        let keys = try unlocker.unlock(slots, until: deadline)
        let now = RollbackAnchor(epoch: keys.epoch, sequence: try store.newestSequence)
        guard let known = try? read(keys, until: deadline) else {
            if isPending { advance(keys, now.sequence, until: deadline) }
            return
        }
        guard now >= known else {
            throw StorageError(
                .rollbackSuspected,
                path: directory.path(of: FileStore.fileName),
                detail:
                    "the keyring knows of change \(known.sequence) under key \(known.epoch), the journal has come to "
                    + "change \(now.sequence) under key \(now.epoch)"
            )
        }
        if isPending { advance(keys, now.sequence, until: deadline) }
    }

    private func read(_ keys: GroupKeys, until deadline: Deadline) throws(StorageError) -> RollbackAnchor? {
        try access.withSlots(unlocker.collection(nil)) { items throws(StorageError) in
            try items.anchor(keys, until: min(deadline, .after(Self.longestWait)))
        }
    }

    /// Notes how far the group has come. Whatever stands in the way, what was done stays done.
    func advance(_ keys: GroupKeys, _ sequence: UInt64, until deadline: Deadline) {
        do throws(StorageError) {
            // Half of the time that is left: what the keyring could not be told is to be noted yet.
            try set(keys, sequence, until: .after(min(deadline.remaining / 2, Self.longestWait)))
            try note(keys, isPending: false, until: deadline)
        } catch {
            try? note(keys, isPending: true, until: deadline)
        }
    }

    /// Notes how far the group has come, also where the keyring knows of more.
    func set(_ keys: GroupKeys, _ sequence: UInt64, until deadline: Deadline) throws(StorageError) {
        try access.withSlots(unlocker.collection(nil)) { items throws(StorageError) in
            try items.setAnchor(keys, sequence, until: deadline)
        }
    }

    /// Notes in the folder whether the keyring is still to be told.
    func note(_ keys: GroupKeys, isPending: Bool, until deadline: Deadline) throws(StorageError) {
        guard let state = try directory.readState(), state.isAnchorPending != isPending else { return }
        try directory.changeState(with: keys, until: deadline) { $0.isAnchorPending = isPending }
    }
}
