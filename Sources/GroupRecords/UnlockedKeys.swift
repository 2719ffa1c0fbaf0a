// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import Sealing
internal import Synchronization

/// The keys of a group that this process has unlocked, one sealer per epoch.
///
/// A store unlocks an epoch and adds its keys; code that opens a box asks for the sealer of the box's epoch. Keys are
/// retained until this object is destroyed, so that boxes read before a change of keys can still be opened. Safe to use
/// from any thread.
package final class UnlockedKeys: Sendable {
    /// In ascending order of epoch. There is usually one.
    private let sealers = Mutex<[RecordSealer]>([])

    package init() {}

    /// Begins with `keys`.
    package convenience init(_ keys: GroupKeys) throws(StorageError) {
        self.init()
        try add(keys)
    }

    /// Adds `keys`, replacing any others of the same epoch: a journal restored from a backup may have been rekeyed to
    /// the same epoch again. Adding keys that are already present changes nothing.
    ///
    /// - Throws: ``StorageError/Code/foreign`` if that epoch's known keys belong to another group,
    ///   ``StorageError/Code/forkedProcess`` in a forked child.
    package func add(_ keys: GroupKeys) throws(StorageError) {
        let sealer = try sealing(try RecordSealer(keys: keys))
        let isOfGroup = sealers.withLock { known in
            let index = known.firstIndex { $0.keys.epoch >= keys.epoch } ?? known.count
            guard index < known.count, known[index].keys.epoch == keys.epoch else {
                known.insert(sealer, at: index)
                return true
            }
            guard known[index].keys.uuid == keys.uuid else { return false }
            if !known[index].keys.isEqual(to: keys) { known[index] = sealer }
            return true
        }
        guard isOfGroup else { throw StorageError(.foreign, detail: "the keys of another group are in use") }
    }

    /// The sealer for boxes of `epoch`.
    ///
    /// - Throws: ``StorageError/Code/keyMissing`` if that epoch was never unlocked.
    package func sealer(epoch: UInt32) throws(StorageError) -> RecordSealer {
        guard let sealer = sealers.withLock({ $0.last { $0.keys.epoch == epoch } }) else {
            throw StorageError(.keyMissing, detail: "the keys of the group were changed", advice: "Unlock it again")
        }
        return sealer
    }

    /// A sealer for results that do not depend on the epoch: tags of records and partitions.
    ///
    /// - Throws: ``StorageError/Code/keyMissing`` if no epoch was unlocked yet.
    package func tagSealer() throws(StorageError) -> RecordSealer {
        guard let sealer = sealers.withLock({ $0.last }) else {
            throw StorageError(.keyMissing)
        }
        return sealer
    }
}
