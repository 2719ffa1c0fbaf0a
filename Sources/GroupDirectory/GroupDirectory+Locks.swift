package import RecordStorage
internal import Synchronization
internal import SystemPackage

extension GroupDirectory {
    /// Waits for a lock of the group, at most until `deadline`; with a deadline in the past it tries once.
    ///
    /// Threads of this process and other processes exclude each other alike; who waits gets it in turn. A thread that
    /// asks for a lock that it already holds waits for itself. Where nothing can be written, a shared lock is taken
    /// on the lock file if there is one.
    ///
    /// - Parameters:
    ///   - byte: which lock.
    ///   - mode: alone or shared.
    ///   - deadline: until when to wait.
    /// - Returns: the lock.
    /// - Throws: ``StorageError/Code/busy``, which names the process that holds it, ``StorageError/Code/readOnly``
    ///   for an exclusive lock where nothing can be written, ``StorageError/Code/storageMoved`` for the writer's lock where
    ///   the folder is not the group's any more.
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
            // Where the folder is gone, so is the file.
            if mustBeInPlace, error.code != .busy { try location.check() }
            throw error
        }
        if mustBeInPlace { try location.check() }
        return lock
    }

    private func queueKey(_ byte: LockByte) -> LockQueue.Key {
        LockQueue.Key(device: identity.device, inode: identity.inode, byte: byte)
    }

    /// How many threads of this process wait for others of its threads that have the lock, for tests.
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

    /// Makes sure that whoever holds the writer's lock through this value is the only one: somebody may have removed or
    /// replaced its file, and then others lock another one. Where it is not held through this value nothing is asked. One
    /// system call.
    ///
    /// Ask right before something is changed that was read under the lock, and before that is acknowledged.
    ///
    /// - Throws: ``StorageError/Code/busy`` where others may have the lock as well.
    package func confirmWriterLock() throws(StorageError) {
        guard let opened = writerLock.withLock({ $0 }) else { return }
        let file = LockFile(folder: folder, name: FileName.lock, isWritable: true)
        guard try file.isStillNamed(opened) else {
            throw StorageError(
                .busy,
                path: file.path,
                detail: "the lock file was removed or replaced while it was locked, so others may have written; "
                    + "nothing was changed; leave the file there and try again"
            )
        }
    }

    /// Runs `body` while a lock is held.
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

    /// What looks like damage is none where others wrote meanwhile, whom the lock should have kept out.
    private func lostLock(insteadOf damage: StorageError) -> StorageError {
        guard damage.code == .damaged else { return damage }
        do throws(StorageError) { try confirmWriterLock() } catch { return error.code == .busy ? error : damage }
        return damage
    }

    /// Takes a lock if it is free now.
    ///
    /// - Returns: `nil` where another thread or process holds it.
    package func tryLock(_ byte: LockByte, _ mode: LockMode = .exclusive) throws(StorageError) -> DirectoryLock? {
        do throws(StorageError) {
            return try lock(byte, mode, until: .after(.zero))
        } catch {
            if error.code == .busy { return nil }
            throw error
        }
    }
}
