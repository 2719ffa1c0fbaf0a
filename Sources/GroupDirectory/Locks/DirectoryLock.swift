// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A lock of the group, held by this thread until it is released or goes out of scope.
///
/// The kernel releases it when the process ends for any reason. A child process does not inherit it.
package struct DirectoryLock: ~Copyable, Sendable {
    private let held: Held?

    struct Held: Sendable {
        let key: LockQueue.Key
        let mode: LockMode
        let opened: LockFile.Opened
        /// The folder to notify of the release, if this is the writer's lock, held exclusively.
        let writer: GroupDirectory?
    }

    /// - Parameter held: `nil` if the group has no lock file.
    init(_ held: Held?) {
        self.held = held
    }

    deinit {
        guard let held else { return }
        // Notify the folder first, because the next thread may take the lock through the same value.
        held.writer?.writerLock.withLock { $0 = nil }
        let byte = held.key.byte.rawValue
        // Unlock explicitly instead of relying on close, because a child between fork and exec may hold the same open
        // file.
        ForkGuard.shared.discard(held.opened.slot) { file in Syscalls.unlock(file, byte: byte) }
        LockQueue.shared.leave(held.key, held.mode, generation: held.opened.slot.generation)
    }

    /// Whether this is the given lock of that group, held exclusively.
    func protects(_ byte: LockByte, of directory: GroupDirectory) -> Bool {
        guard let held, held.mode == .exclusive, held.key.byte == byte else { return false }
        return held.key.device == directory.identity.device && held.key.inode == directory.identity.inode
    }

    /// Releases the lock.
    package consuming func release() {}
}
