// SPDX-License-Identifier: Apache-2.0

/// The leases held by this process, which its other threads and tasks check without a system call.
final class LeaseTable: @unchecked Sendable {
    // SAFETY: all of it is touched with the mutex of ForkGuard held.
    private var held: Set<Key> = []
    private var generation: UInt64 = 0

    static let shared = LeaseTable()

    struct Key: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
        let number: UInt64
    }

    /// Records that the calling thread is trying to take a lease.
    ///
    /// - Returns: the generation to pass to ``leave(_:generation:)``, or `nil` if another thread holds the lease or is
    ///   trying to.
    func enter(_ key: Key) -> UInt64? {
        withTable { held.insert(key).inserted ? generation : nil }
    }

    /// Whether a thread of this process holds the lease, or is trying to take it.
    func contains(_ key: Key) -> Bool { withTable { held.contains(key) } }

    /// Lets other threads try to take the lease.
    func leave(_ key: Key, generation: UInt64) {
        withTable {
            if generation == self.generation { held.remove(key) }
        }
    }

    private func withTable<Result>(_ body: () -> Result) -> Result {
        let guardian = ForkGuard.shared
        guardian.lock()
        defer { guardian.unlock() }
        if generation != guardian.currentGeneration {
            // A child does not inherit its parent's leases.
            generation = guardian.currentGeneration
            held = []
        }
        return body()
    }
}
