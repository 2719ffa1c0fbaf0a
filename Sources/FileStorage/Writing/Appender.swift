// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

/// Appends a frame in preallocated space, with one write and one sync. The caller holds the writer's lock.
struct Appender {
    let directory: GroupDirectory
    let position: JournalState.Position

    private var file: CheckedFile { position.generation.file }

    /// Appends a frame. Removals may use the preallocated space kept for them, so they succeed on a full disk.
    ///
    /// - Parameters:
    ///   - frame: the whole frame.
    ///   - mayUsePreallocation: whether the transaction is a removal.
    /// - Throws: ``StorageError/Code/full``, ``StorageError/Code/busy`` if other processes may hold the lock, and other
    ///   errors that leave the journal unchanged; ``StorageError/Code/indeterminate`` if the state of the disk is
    ///   unknown, in which case the file must not be appended to any more.
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
        // Without the lock, another process could write its frame at the same offset. It could also truncate a frame
        // that is still incomplete, so the lock is checked again before acknowledging this one.
        try directory.confirmWriterLock()
        do throws(StorageError) {
            try write(frame, at: end, mayUsePreallocation: mayUsePreallocation)
        } catch {
            // The next writer would drop a partial frame anyway; undo it now.
            try? Syscalls.truncate(file.descriptor, to: end)
            try? Syscalls.syncData(file.descriptor)
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

    /// Leaves the mark that a durable frame was acknowledged. Call it before the lock is released, so that no mark is
    /// written over a later frame. It is not synced: it protects against damage that appears later, and the next frame
    /// takes its place.
    func mark(_ frame: JournalFrame) {
        let generation = position.generation
        file.mark(frame.lead.sequence, endingAt: frame.end, of: generation.header.journal, keys: generation.keys)
    }

    private func write(_ frame: [UInt8], at end: UInt64, mayUsePreallocation: Bool) throws(StorageError) {
        do throws(StorageError) {
            try file.write(frame.rawSpan, at: end)
        } catch {
            // Copy-on-write file systems need new space to overwrite data; truncating the preallocated space may free
            // some, once the file system has recorded that. Truncate at a block boundary, because truncating within a
            // block would write it.
            guard error.code == .full, mayUsePreallocation else { throw error }
            try? Syscalls.truncate(file.descriptor, to: end.roundedUp(to: UInt64(JournalFormat.pageByteCount)))
            try? Syscalls.syncFileSystem(of: file.descriptor)
            try file.write(frame.rawSpan, at: end)
        }
    }

    /// Makes the frame durable. After a failed sync the state of the disk is unknown, and a second sync may wrongly
    /// report success. So the frame is undone, to keep other processes from relying on it, and this process does not
    /// write to the file again.
    private func sync() throws(StorageError) {
        do throws(Errno) {
            try Syscalls.syncData(file.descriptor)
        } catch {
            // Truncate only under the lock: otherwise another process may have appended a frame after this one.
            if (try? directory.confirmWriterLock()) != nil {
                try? Syscalls.truncate(file.descriptor, to: position.cursor.end)
            }
            let detail = "syncing the transaction to the disk failed; it is unknown whether it would survive a crash"
            throw StorageError(.indeterminate, path: file.path, detail: detail, errno: error)
        }
    }

    /// Syncs what earlier writers may have left unsynced, because it must be durable before another frame follows it: a
    /// valid frame whose writer was killed before its sync, the name of a journal whose writer was killed before it
    /// left a note, and the truncation of a torn tail, parts of which might otherwise reappear under the new frame.
    private func syncWhatOthersWrote(wasCut: Bool) throws(StorageError) {
        let synced = position.note?.byteCount(of: position.generation.header.journal)
        guard wasCut || (synced ?? 0) < position.cursor.end else { return }
        if synced == nil { try directory.sync() }
        do throws(Errno) {
            try Syscalls.syncData(file.descriptor)
        } catch {
            let detail = "syncing earlier transactions to the disk failed"
            throw StorageError(.indeterminate, path: file.path, detail: detail, errno: error)
        }
    }

    /// Quarantines what a killed writer left, then truncates it.
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

    /// Quarantines what a killed writer left, in several files if it is long.
    ///
    /// - Throws: ``StorageError/Code/full`` if the disk has no space for it.
    func keepTornTail() throws(StorageError) {
        let end = position.cursor.end + position.tornByteCount
        var offset = position.cursor.end
        while offset < end {
            let tail = try file.read(at: offset, count: Int(min(Self.pieceByteCount, end - offset)))
            if tail.isEmpty { return }
            try directory.quarantine(tail.rawSpan, label: position.isTailUnproven ? "unproven" : "torn")
            offset += UInt64(tail.count)
        }
    }

    /// The size of one quarantine file, which limits the memory used.
    private static let pieceByteCount: UInt64 = 64 << 20
}

extension CheckedFile {
    /// Writes the mark of an acknowledged transaction behind it, if the file has room there.
    func mark(_ sequence: UInt64, endingAt end: UInt64, of journal: JournalID, keys: JournalKeys) {
        guard let size = try? currentStatus().identity.size, size >= end + UInt64(TailReader.markByteCount),
            let mark = try? keys.mark(of: sequence, in: journal)
        else { return }
        let words: InlineArray<2, UInt64> = [mark.first.littleEndian, mark.second.littleEndian]
        try? write(words.rawSpan, at: end)
    }
}
