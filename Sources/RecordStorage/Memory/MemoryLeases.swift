// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The leases of a group in memory that are currently held.
final class MemoryLeases: Sendable {
    private let held = Mutex<Set<UInt64>>([])

    func take(_ number: UInt64) -> (any StoreLease)? {
        guard held.withLock({ $0.insert(number).inserted }) else { return nil }
        return Lease(number, of: self)
    }

    private func giveBack(_ number: UInt64) {
        _ = held.withLock { $0.remove(number) }
    }

    private final class Lease: StoreLease {
        private let number: UInt64
        private let leases: MemoryLeases
        private let isReleased = Atomic<Bool>(false)

        init(_ number: UInt64, of leases: MemoryLeases) {
            self.number = number
            self.leases = leases
        }

        deinit { release() }

        func release() {
            if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { leases.giveBack(number) }
        }
    }
}
