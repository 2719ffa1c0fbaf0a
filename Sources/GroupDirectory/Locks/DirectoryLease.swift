// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization

/// A lease of the group: one locked byte of the file `leases`.
final class DirectoryLease: StoreLease {
    private let key: LeaseTable.Key
    private let slot: ForkGuard.Slot
    private let isReleased = Atomic<Bool>(false)

    init(_ key: LeaseTable.Key, _ slot: ForkGuard.Slot) {
        self.key = key
        self.slot = slot
    }

    deinit { release() }

    func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // Unlocks explicitly instead of relying on close: a child between fork and exec may hold the same open file.
        let byte = Int64(key.number)
        ForkGuard.shared.discard(slot) { file in Syscalls.unlock(file, byte: byte) }
        LeaseTable.shared.leave(key, generation: slot.generation)
    }
}
