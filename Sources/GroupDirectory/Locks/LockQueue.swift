internal import RecordStorage

/// The order in which the threads of this process get a lock. Those who wait sleep.
///
/// Locks of the kernel cannot be waited for until a deadline, only tried again and again. Here only the first of a
/// process tries; the others sleep until it is their turn.
final class LockQueue: @unchecked Sendable {
    // SAFETY: all of it is touched with the mutex of ForkGuard held.
    private var lines: [Key: Line] = [:]
    private var generation: UInt64 = 0
    private var lastTicket: UInt64 = 0

    static let shared = LockQueue()

    /// Makes everything that locks need, before the first one is taken: a child forked while another thread makes it
    /// would wait for that thread for ever.
    static func prepare() {
        _ = (shared, ForkGuard.shared)
    }

    struct Key: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
        let byte: LockByte
    }

    private struct Line {
        var isHeldAlone = false
        var sharedCount = 0
        var waiting: [UInt64] = []

        var isEmpty: Bool { !isHeldAlone && sharedCount == 0 && waiting.isEmpty }

        func isFree(_ mode: LockMode) -> Bool { !isHeldAlone && (mode == .shared || sharedCount == 0) }

        mutating func take(_ mode: LockMode) {
            if mode == .exclusive { isHeldAlone = true } else { sharedCount += 1 }
        }
    }

    /// Waits for this thread's turn.
    ///
    /// - Returns: what ``leave(_:_:generation:)`` wants to know, or `nil` where the deadline passed first.
    func enter(_ key: Key, _ mode: LockMode, until deadline: Deadline) -> UInt64? {
        let guardian = ForkGuard.shared
        guardian.lock()
        defer { guardian.unlock() }
        forgetParent(guardian)
        var line = lines[key] ?? Line()
        if line.waiting.isEmpty, line.isFree(mode) {
            line.take(mode)
            lines[key] = line
            return generation
        }
        lastTicket += 1
        let ticket = lastTicket
        lines[key, default: Line()].waiting.append(ticket)
        while true {
            if let line = lines[key], line.waiting.first == ticket, line.isFree(mode) {
                lines[key]?.waiting.removeFirst()
                lines[key]?.take(mode)
                // The next in line may share it.
                if mode == .shared { wakeLine(key, guardian) }
                return generation
            }
            let remaining = deadline.remaining
            guard remaining > .zero else {
                lines[key]?.waiting.removeAll { $0 == ticket }
                wakeLine(key, guardian)
                return nil
            }
            guardian.wait(nanoseconds: remaining.nanoseconds)
        }
    }

    /// How many threads of this process wait for their turn.
    func waitingCount(_ key: Key) -> Int {
        let guardian = ForkGuard.shared
        guardian.lock()
        defer { guardian.unlock() }
        forgetParent(guardian)
        return lines[key]?.waiting.count ?? 0
    }

    /// Lets the next thread have its turn.
    func leave(_ key: Key, _ mode: LockMode, generation: UInt64) {
        let guardian = ForkGuard.shared
        guardian.lock()
        defer { guardian.unlock() }
        forgetParent(guardian)
        guard generation == self.generation else { return }
        guard var line = lines[key] else { return }
        if mode == .exclusive { line.isHeldAlone = false } else { line.sharedCount -= 1 }
        if !line.waiting.isEmpty { guardian.wakeAll() }
        lines[key] = line.isEmpty ? nil : line
    }

    /// Wakes those who wait, where somebody waits in this line.
    private func wakeLine(_ key: Key, _ guardian: ForkGuard) {
        if lines[key]?.waiting.isEmpty == false { guardian.wakeAll() }
    }

    /// What the threads of the parent held and waited for is no concern of a child.
    private func forgetParent(_ guardian: ForkGuard) {
        if generation != guardian.currentGeneration {
            generation = guardian.currentGeneration
            lines = [:]
        }
    }
}

extension Duration {
    /// At most ten years, which is as good as for ever.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(seconds, 315_360_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
