/// The leases that this process holds, so that its other threads and tasks learn so without asking the system.
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

    /// Notes that the calling thread tries for a lease.
    ///
    /// - Returns: what ``leave(_:generation:)`` wants to know, or `nil` where another thread has it or tries for it.
    func enter(_ key: Key) -> UInt64? {
        withTable { held.insert(key).inserted ? generation : nil }
    }

    /// Lets others try.
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
            // What the parent holds is no concern of a child.
            generation = guardian.currentGeneration
            held = []
        }
        return body()
    }
}
