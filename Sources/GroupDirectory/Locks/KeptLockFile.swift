internal import SystemPackage

/// The lock file, opened, between two times that this process holds the writer's lock: a save would open it each time.
///
/// One thread has it at a time: whoever took it out, to hold the lock alone. Safe from any thread.
final class KeptLockFile: @unchecked Sendable {
    // SAFETY: it is touched with the mutex of ForkGuard held, so that no child finds it half changed.
    private var kept: Opened?

    /// The lock file, opened by this process.
    struct Opened: Sendable {
        let file: FileDescriptor
        let slot: ForkGuard.Slot
        /// No other file has the same as long as this one is open.
        let identity: FileIdentity
        /// Who opened it.
        let process = Syscalls.processID
    }

    deinit {
        if let kept { ForkGuard.shared.discard(kept.slot) { _ in } }
    }

    /// Takes out the file that is kept; `nil` where none is, and in a child that was forked since.
    func take() -> Opened? {
        let guardian = ForkGuard.shared
        guardian.lock()
        defer { guardian.unlock() }
        let found = kept
        kept = nil
        // A child that was made past the handlers of fork would share the lock with its parent.
        return found.flatMap { guardian.holds($0.slot) && $0.process == Syscalls.processID ? $0 : nil }
    }

    /// Gives a lock back, and keeps the file for the next time. Does nothing in a child.
    func giveBack(_ opened: Opened, byte: Int64) {
        let guardian = ForkGuard.shared
        guardian.lock()
        defer { guardian.unlock() }
        guard guardian.holds(opened.slot) else { return }
        // By hand: the file stays open, and a child between fork and exec may hold it as well.
        Syscalls.unlock(opened.file, byte: byte)
        kept = opened
    }
}
