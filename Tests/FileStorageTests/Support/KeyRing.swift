// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Sealing
import Synchronization

/// Unlocks the key slots of a scratch group by its epoch, and counts how often that was asked for.
final class KeyRing: Sendable {
    private let state = Mutex<(keys: [UInt32: GroupKeys], count: Int)>(([:], 0))

    var unlockCount: Int { state.withLock { $0.count } }

    func add(_ keys: GroupKeys) {
        state.withLock { $0.keys[keys.epoch] = keys }
    }

    func keys(for slots: KeySlots) throws(StorageError) -> GroupKeys {
        let found = state.withLock { state in
            state.count += 1
            return state.keys[slots.epoch]
        }
        guard let found, found.uuid == slots.uuid else { throw StorageError(.keyRejected) }
        return found
    }
}
