// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import TokenCaching

extension GroupOpener {
    /// Accepts the existing journal, even if the keyring has recorded a newer state, and repairs the journal if it does
    /// not open.
    ///
    /// - Returns: what was repaired; `nil` if nothing was.
    func acceptRollback() throws(StorageError) -> RepairReport? {
        do throws(StorageError) {
            try noteAcceptedRollback()
            return nil
        } catch {
            guard error.code == .damaged || error.code == .foreign else { throw error }
        }
        var accepting = self
        accepting.acceptsRollback = true
        let repaired = try accepting.repair(isDryRun: false)
        if !repaired.beginsAnew { try noteAcceptedRollback() }
        return repaired
    }

    private func noteAcceptedRollback() throws(StorageError) {
        try withFileGroup { directory, unlocker throws(StorageError) in
            if let readOnlyReason = directory.readOnlyReason { throw readOnlyReason }
            let time = WaitingTime(timeout)
            let store = try open(in: directory, unlocker, time)
            defer { store.close() }
            let keys = try unlocker.unlock(store.keySlots, until: time.deadline)
            let rollback = RollbackGuard(directory: directory, unlocker: unlocker)
            try rollback.set(keys, store.newestSequence, until: time.deadline)
        }
    }
}
