// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// Orders the threads of this process that wait for a lock.
///
/// The kernel offers no wait for a lock with a deadline, so the lock must be polled. Only the first thread in the queue
/// polls; the others sleep until it is their turn.
final class LockQueue: @unchecked Sendable {
    // SAFETY: all of it is touched with the mutex of ForkGuard held.
    private var lines: [Key: Line] = [:]
    private var generation: UInt64 = 0
    private var lastTicket: UInt64 = 0

    static let shared = LockQueue()

    /// Creates the shared objects that locks need, before the first lock is taken. A child forked while another thread
    /// creates them would wait for that thread forever.
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
    /// - Returns: the generation to pass to ``leave(_:_:generation:)``, or `nil` if the deadline passed first.
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
                // The next thread in line may share the lock.
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

    /// The number of threads of this process that wait for their turn.
    func waitingCount(_ key: Key) -> Int {
        let guardian = ForkGuard.shared
        guardian.lock()
        defer { guardian.unlock() }
        forgetParent(guardian)
        return lines[key]?.waiting.count ?? 0
    }

    /// Ends this thread's turn, so that the next one in line can start.
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

    /// Wakes the threads that wait in this line, if any.
    private func wakeLine(_ key: Key, _ guardian: ForkGuard) {
        if lines[key]?.waiting.isEmpty == false { guardian.wakeAll() }
    }

    /// Resets the queue in a child, which has neither the locks nor the waiting threads of its parent.
    private func forgetParent(_ guardian: ForkGuard) {
        if generation != guardian.currentGeneration {
            generation = guardian.currentGeneration
            lines = [:]
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, limited to ten years, which is effectively forever.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(seconds, 315_360_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
