internal import Synchronization

/// A lock of the group, held by this thread of this process until it is released or goes out of scope.
///
/// The kernel takes it back when the process ends, however that happens. A child process does not have it.
package struct DirectoryLock: ~Copyable, Sendable {
    private let held: Held?

    struct Held: Sendable {
        let key: LockQueue.Key
        let mode: LockMode
        let opened: LockFile.Opened
        /// Knows that it is held, where it is the writer's lock, held alone.
        let writer: GroupDirectory?
    }

    /// - Parameter held: `nil` where there is nothing to be locked.
    init(_ held: Held?) {
        self.held = held
    }

    deinit {
        guard let held else { return }
        // First: whoever is next in line may hold it through the same value.
        held.writer?.writerLock.withLock { $0 = nil }
        let byte = held.key.byte.rawValue
        // By hand, not just by closing: a child between fork and exec may hold the same open file.
        ForkGuard.shared.discard(held.opened.slot) { file in Syscalls.unlock(file, byte: byte) }
        LockQueue.shared.leave(held.key, held.mode, generation: held.opened.slot.generation)
    }

    /// Whether this is that lock of that group, held alone.
    func protects(_ byte: LockByte, of directory: GroupDirectory) -> Bool {
        guard let held, held.mode == .exclusive, held.key.byte == byte else { return false }
        return held.key.device == directory.identity.device && held.key.inode == directory.identity.inode
    }

    /// Gives the lock back.
    package consuming func release() {}
}
