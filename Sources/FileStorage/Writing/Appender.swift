// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

/// Appends one frame after the last one, into preallocated space: one write, one sync. The caller holds the writer's
/// lock.
struct Appender {
    let directory: GroupDirectory
    let position: JournalState.Position

    private var file: CheckedFile { position.generation.file }

    /// Appends a frame. Transactions that remove something may use the preallocated space kept for them, so they
    /// succeed on a full disk.
    ///
    /// - Parameters:
    ///   - frame: the whole frame.
    ///   - mayUsePreallocation: whether it removes something.
    /// - Throws: ``StorageError/Code/full``, ``StorageError/Code/busy`` if other processes may hold the lock, and other
    ///   errors after which nothing was changed; ``StorageError/Code/indeterminate`` if the state of the disk is
    ///   unknown: nothing more may be appended to this file.
    func append(_ frame: [UInt8], mayUsePreallocation: Bool) throws(StorageError) {
        let end = position.cursor.end
        let isTorn = position.tornByteCount > 0
        if isTorn {
            try directory.confirmWriterLock()
            try dropTornTail(mayLoseIt: mayUsePreallocation)
        }
        try syncWhatOthersWrote(wasCut: isTorn)
        let reserve = Preallocation(file: file, fileByteCount: isTorn ? end : position.fileByteCount)
        try reserve.ensure(from: end, count: UInt64(frame.count), mayUsePreallocation: mayUsePreallocation)
        // Otherwise another process could write its frame to the same place. A frame that it writes later follows this
        // one, unless this one was not yet complete: so the lock is checked again before acknowledging it.
        try directory.confirmWriterLock()
        do throws(StorageError) {
            try write(frame, at: end, mayUsePreallocation: mayUsePreallocation)
        } catch {
            // The next writer would find half a frame and drop it; it is better to leave none.
            try? Syscalls.truncate(file.descriptor, to: end)
            try? Preallocation(file: file, fileByteCount: end).ensure(from: end, count: 0, mayUsePreallocation: true)
            throw error
        }
        try sync()
        do throws(StorageError) {
            try directory.confirmWriterLock()
        } catch {
            let detail =
                "the lock file was removed or replaced during the write; another process may have truncated the transaction"
            throw StorageError(.indeterminate, path: error.path, detail: detail, errno: error.errno)
        }
    }

    private func write(_ frame: [UInt8], at end: UInt64, mayUsePreallocation: Bool) throws(StorageError) {
        do throws(StorageError) {
            try file.write(frame.rawSpan, at: end)
        } catch {
            // Copy-on-write file systems need new space to overwrite data; truncating the preallocated space may free
            // some, once the file system has recorded that. Only whole blocks: truncating within one would write it.
            guard error.code == .full, mayUsePreallocation else { throw error }
            try? Syscalls.truncate(file.descriptor, to: end.roundedUp(to: HolePuncher.blockByteCount))
            try? Syscalls.syncFileSystem(of: file.descriptor)
            try file.write(frame.rawSpan, at: end)
        }
    }

    /// Makes the frame durable. After a failure the state of the disk is unknown, and a second attempt may wrongly
    /// report success: the frame is undone so that no other process counts it, and this file is not written again.
    private func sync() throws(StorageError) {
        do throws(Errno) {
            try Syscalls.syncData(file.descriptor)
        } catch {
            // If other processes hold the lock, they may have appended a frame after it.
            if (try? directory.confirmWriterLock()) != nil {
                try? Syscalls.truncate(file.descriptor, to: position.cursor.end)
            }
            let detail = "syncing the transaction to the disk failed; it is unknown whether it would survive a crash"
            throw StorageError(.indeterminate, path: file.path, detail: detail, errno: error)
        }
    }

    /// A frame whose writer was killed before its sync is already valid: it has to be durable before another frame
    /// follows it. The same holds for the name of a journal whose writer was killed before it left a note, and for the
    /// truncation of a torn tail: otherwise parts of the tail might reappear under the new frame.
    private func syncWhatOthersWrote(wasCut: Bool) throws(StorageError) {
        let synced = SyncedLength.noted(of: position.generation, in: directory)
        guard wasCut || (synced ?? 0) < position.cursor.end else { return }
        if synced == nil { try directory.sync() }
        do throws(Errno) {
            try Syscalls.syncData(file.descriptor)
        } catch {
            let detail = "syncing earlier transactions to the disk failed"
            throw StorageError(.indeterminate, path: file.path, detail: detail, errno: error)
        }
    }

    /// Truncates what a killed writer left, after moving it to the quarantine.
    private func dropTornTail(mayLoseIt: Bool) throws(StorageError) {
        do throws(StorageError) {
            try keepTornTail()
        } catch {
            guard mayLoseIt, error.code == .full else { throw error }
        }
        do throws(Errno) {
            try Syscalls.truncate(file.descriptor, to: position.cursor.end)
        } catch {
            throw StorageError(error, path: file.path, doing: "truncating a transaction that was never acknowledged")
        }
    }

    /// Moves what a killed writer left to the quarantine, in several files if it is long.
    ///
    /// - Throws: ``StorageError/Code/full`` if there is no space in the quarantine.
    func keepTornTail() throws(StorageError) {
        let end = position.cursor.end + position.tornByteCount
        var offset = position.cursor.end
        while offset < end {
            let tail = try file.read(at: offset, count: Int(min(Self.pieceByteCount, end - offset)))
            if tail.isEmpty { return }
            try directory.quarantine(tail.rawSpan, label: "torn")
            offset += UInt64(tail.count)
        }
    }

    /// Limits the memory used.
    private static let pieceByteCount: UInt64 = 64 << 20
}
