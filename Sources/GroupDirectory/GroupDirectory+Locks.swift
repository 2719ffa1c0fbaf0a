// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
internal import Synchronization
internal import SystemPackage

extension GroupDirectory {
    /// Waits for a lock of the group until `deadline`, or tries once if that is in the past.
    ///
    /// The lock excludes threads of this process and other processes alike, and is granted in order. A thread that
    /// requests a lock it already holds deadlocks until the deadline. In a read-only folder, a shared lock locks the
    /// lock file if that exists.
    ///
    /// - Parameters:
    ///   - byte: the lock to take.
    ///   - mode: exclusive or shared.
    ///   - deadline: the time to stop waiting.
    /// - Returns: the lock.
    /// - Throws: ``StorageError/Code/busy`` with the process that holds the lock, ``StorageError/Code/readOnly`` for an
    ///   exclusive lock if the folder cannot be written, ``StorageError/Code/storageMoved`` for the writer's lock if
    ///   the folder is no longer the group's.
    package func lock(
        _ byte: LockByte,
        _ mode: LockMode = .exclusive,
        until deadline: Deadline
    ) throws(StorageError) -> DirectoryLock {
        let mustBeInPlace = byte == .writer && mode == .exclusive
        let lock: DirectoryLock
        do throws(StorageError) {
            lock = try take(byte, mode, until: deadline)
        } catch {
            // If the folder was moved, report that rather than its missing file.
            if mustBeInPlace, error.code != .busy { try location.check() }
            throw error
        }
        if mustBeInPlace { try location.check() }
        return lock
    }

    private func queueKey(_ byte: LockByte) -> LockQueue.Key {
        LockQueue.Key(device: identity.device, inode: identity.inode, byte: byte)
    }

    /// For tests: the number of threads of this process that wait for a lock which another of its threads holds.
    package func waitingThreadCount(for byte: LockByte) -> Int { LockQueue.shared.waitingCount(queueKey(byte)) }

    private func take(
        _ byte: LockByte,
        _ mode: LockMode,
        until deadline: Deadline
    ) throws(StorageError) -> DirectoryLock {
        if let readOnlyReason, mode == .exclusive { throw readOnlyReason }
        WaitLog.note(deadline)
        let key = queueKey(byte)
        guard let generation = LockQueue.shared.enter(key, mode, until: deadline) else {
            throw LockSession.busy(path: folder.path(of: FileName.lock), holder: Syscalls.processID)
        }
        let session = LockSession(
            folder: folder,
            byte: byte,
            mode: mode,
            deadline: deadline,
            isWritable: readOnlyReason == nil
        )
        do throws(StorageError) {
            guard let opened = try session.acquire() else {
                LockQueue.shared.leave(key, mode, generation: generation)
                return DirectoryLock(nil)
            }
            let isWriter = byte == .writer && mode == .exclusive
            if isWriter { writerLock.withLock { $0 = opened } }
            return DirectoryLock(
                DirectoryLock.Held(key: key, mode: mode, opened: opened, writer: isWriter ? self : nil)
            )
        } catch {
            LockQueue.shared.leave(key, mode, generation: generation)
            throw error
        }
    }

    /// Checks that the writer's lock held through this value is still exclusive, because after the file is removed or
    /// replaced, other processes lock another file. Does nothing if this value does not hold the lock. Takes one system
    /// call.
    ///
    /// Call it right before changing data that was read under the lock, and before acknowledging the change.
    ///
    /// - Throws: ``StorageError/Code/busy`` if other processes may hold the lock as well.
    package func confirmWriterLock() throws(StorageError) {
        guard let opened = writerLock.withLock({ $0 }) else { return }
        let file = LockFile(folder: folder, name: FileName.lock, isWritable: true)
        guard try file.isStillNamed(opened) else {
            throw StorageError(
                .busy,
                path: file.path,
                detail:
                    "the lock file was removed or replaced while it was locked, so another process may have written",
                advice: "Nothing was changed; leave the file there and try again"
            )
        }
    }

    /// Runs `body` while holding a lock.
    package func withLock<Result>(
        _ byte: LockByte,
        _ mode: LockMode = .exclusive,
        until deadline: Deadline,
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let lock = try lock(byte, mode, until: deadline)
        do throws(StorageError) {
            let result = try body()
            lock.release()
            return result
        } catch {
            let cause = byte == .writer ? lostLock(insteadOf: error) : error
            lock.release()
            throw cause
        }
    }

    /// The error to report for apparent damage: if the lock was lost, another process may have written in the meantime.
    private func lostLock(insteadOf damage: StorageError) -> StorageError {
        guard damage.code == .damaged else { return damage }
        do throws(StorageError) { try confirmWriterLock() } catch { return error.code == .busy ? error : damage }
        return damage
    }

    /// Takes a lock if it is free.
    ///
    /// - Returns: `nil` if another thread or process holds it.
    package func tryLock(_ byte: LockByte, _ mode: LockMode = .exclusive) throws(StorageError) -> DirectoryLock? {
        do throws(StorageError) {
            return try lock(byte, mode, until: .after(.zero))
        } catch {
            if error.code == .busy { return nil }
            throw error
        }
    }
}
