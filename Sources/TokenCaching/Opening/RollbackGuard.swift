// SPDX-License-Identifier: Apache-2.0

package import FileStorage
package import GroupDirectory
package import RecordStorage
package import Sealing
internal import SecretServiceStorage
internal import SystemPackage

/// Detects an older journal in place of a newer one, for groups that have a key slot in the keyring: the keyring
/// records which transaction was the newest at the last sign-out, removal or change of keys.
///
/// If the keyring cannot be updated at once, the update stays pending until the group is next opened.
package struct RollbackGuard: Sendable {
    let directory: GroupDirectory
    let unlocker: KeyUnlocker

    package init(
        directory: GroupDirectory,
        unlocker: KeyUnlocker
    ) {
        self.directory = directory
        self.unlocker = unlocker
    }

    /// The maximum time to wait for the keyring. It is short, because the user did not request the update.
    private static let longestWait = Duration.seconds(1)

    /// Compares a newly opened journal with the keyring's record. A keyring that cannot be asked now is ignored.
    ///
    /// - Throws: ``StorageError/Code/rollbackSuspected``.
    package func check(_ store: FileStore, isPending: Bool, until deadline: Deadline) throws(StorageError) {
        let slots = try store.keySlots
        guard Self.watches(slots) else { return }
        let keys = try unlocker.unlock(slots, until: deadline)
        let sequence = try store.newestSequence(until: deadline)
        try check(keys, known: try? read(keys, until: deadline), sequence: sequence)
        if isPending { advance(keys, sequence, until: deadline) }
    }

    /// The same for a journal that does not open. Asks the keyring now; the returned closure compares without waiting,
    /// and returns the newest transaction that the keyring knows. An accepted rollback is not an error.
    package func comparison(
        _ slots: KeySlots,
        _ keys: GroupKeys,
        isAccepted: Bool,
        until deadline: Deadline
    ) -> (_ newestSequence: UInt64) throws(StorageError) -> UInt64 {
        let known = Self.watches(slots) ? try? read(keys, until: deadline) : nil
        return { sequence throws(StorageError) in
            if !isAccepted { try check(keys, known: known, sequence: sequence) }
            guard let known, RollbackAnchor(epoch: keys.epoch, sequence: sequence) < known else { return sequence }
            // A change of keys is a transaction too.
            return max(known.sequence, sequence + 1)
        }
    }

    private static func watches(_ slots: KeySlots) -> Bool { slots.haveSecret(in: .keyring) }

    private func check(_ keys: GroupKeys, known: RollbackAnchor?, sequence: UInt64) throws(StorageError) {
        guard let known, RollbackAnchor(epoch: keys.epoch, sequence: sequence) < known else { return }
        throw StorageError(
            .rollbackSuspected,
            path: directory.path(of: FileStore.fileName),
            detail:
                "the keyring has recorded change \(known.sequence) with key \(known.epoch), but the journal ends at "
                + "change \(sequence) with key \(keys.epoch)"
        )
    }

    private func read(_ keys: GroupKeys, until deadline: Deadline) throws(StorageError) -> RollbackAnchor? {
        try unlocker.reading(nil) { items throws(StorageError) in
            try items.anchor(keys, until: min(deadline, .after(Self.longestWait)))
        }
    }

    /// Records the newest transaction. A failure does not undo what was done.
    package func advance(_ keys: GroupKeys, _ sequence: UInt64, until deadline: Deadline) {
        do throws(StorageError) {
            // At most half of the remaining time, so that a failed update can still be recorded as pending.
            try set(keys, sequence, until: .after(min(deadline.remaining / 2, Self.longestWait)))
            try note(keys, isPending: false, until: deadline)
        } catch {
            try? note(keys, isPending: true, until: deadline)
        }
    }

    /// Records the newest transaction, even if the keyring has a newer one.
    package func set(_ keys: GroupKeys, _ sequence: UInt64, until deadline: Deadline) throws(StorageError) {
        try unlocker.keyringAccess.withSlots(unlocker.collection) { items throws(StorageError) in
            try items.setAnchor(keys, sequence, until: deadline)
        }
    }

    /// Records in the folder whether the keyring's update is pending.
    package func note(_ keys: GroupKeys, isPending: Bool, until deadline: Deadline) throws(StorageError) {
        guard let state = try directory.readState(), state.isAnchorPending != isPending else { return }
        try directory.changeState(with: keys, until: deadline) { $0.isAnchorPending = isPending }
    }
}
