internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

/// Puts one frame behind the last one, into room that is there: one write, one sync. The caller holds the writer's lock.
struct Appender {
    let directory: GroupDirectory
    let position: JournalState.Position

    private var file: CheckedFile { position.generation.file }

    /// Appends a frame. Transactions that remove may use the reserve: they go on where the disk is full.
    ///
    /// - Parameters:
    ///   - frame: all of it.
    ///   - mayUsePreallocation: whether it removes something.
    /// - Throws: ``StorageError/Code/full``, ``StorageError/Code/busy`` where others may have the lock, and others where
    ///   nothing was changed, ``StorageError/Code/indeterminate`` where it is unknown what the disk holds: nothing more may be
    ///   appended to this file.
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
        // Others would have theirs where this one goes. What they have after this they read behind it, unless this one was not
        // all there yet: so it is asked once more before it is acknowledged.
        try directory.confirmWriterLock()
        do throws(StorageError) {
            try write(frame, at: end, mayUsePreallocation: mayUsePreallocation)
        } catch {
            // The next writer would find half a frame and drop it; better that there is none.
            try? Syscalls.truncate(file.descriptor, to: end)
            try? Preallocation(file: file, fileByteCount: end).ensure(from: end, count: 0, mayUsePreallocation: true)
            throw error
        }
        try sync()
        do throws(StorageError) {
            try directory.confirmWriterLock()
        } catch {
            let detail =
                "the lock file was removed or replaced while the transaction was written; others may have cut it off"
            throw StorageError(.indeterminate, path: error.path, detail: detail, errno: error.errno)
        }
    }

    private func write(_ frame: [UInt8], at end: UInt64, mayUsePreallocation: Bool) throws(StorageError) {
        do throws(StorageError) {
            try file.write(frame.rawSpan, at: end)
        } catch {
            // Copy-on-write file systems take new room for what is overwritten: the reserve, given back, may be such. It is free
            // once the file system has noted that. Whole blocks only: a cut within one would have to write it.
            guard error.code == .full, mayUsePreallocation else { throw error }
            try? Syscalls.truncate(file.descriptor, to: end.roundedUp(to: HolePuncher.blockByteCount))
            try? Syscalls.syncFileSystem(of: file.descriptor)
            try file.write(frame.rawSpan, at: end)
        }
    }

    /// Makes the frame durable. After a failure nobody knows what the disk holds, and a second try may lie: the frame is
    /// taken back so that no other process counts it, and this file is left alone.
    private func sync() throws(StorageError) {
        do throws(Errno) {
            try Syscalls.syncData(file.descriptor)
        } catch {
            // Others may have one behind it, if they have the lock.
            if (try? directory.confirmWriterLock()) != nil {
                try? Syscalls.truncate(file.descriptor, to: position.cursor.end)
            }
            let detail = "the disk refused to make the transaction durable; it is unknown whether it survives a crash"
            throw StorageError(.indeterminate, path: file.path, detail: detail, errno: error)
        }
    }

    /// A frame that was written and whose writer was killed before its sync counts already: it has to be durable before
    /// another one stands behind it. So does the name of a journal whose writer was killed before it left a note, and
    /// the cut where a torn tail was dropped: else parts of that might come back under the new frame.
    private func syncWhatOthersWrote(wasCut: Bool) throws(StorageError) {
        let synced = SyncedLength.noted(of: position.generation, in: directory)
        guard wasCut || (synced ?? 0) < position.cursor.end else { return }
        if synced == nil { try directory.sync() }
        do throws(Errno) {
            try Syscalls.syncData(file.descriptor)
        } catch {
            let detail = "the disk refused to make earlier transactions durable"
            throw StorageError(.indeterminate, path: file.path, detail: detail, errno: error)
        }
    }

    /// Cuts off what a killed writer left, after it was put aside.
    private func dropTornTail(mayLoseIt: Bool) throws(StorageError) {
        do throws(StorageError) {
            try keepTornTail()
        } catch {
            guard mayLoseIt, error.code == .full else { throw error }
        }
        do throws(Errno) {
            try Syscalls.truncate(file.descriptor, to: position.cursor.end)
        } catch {
            throw StorageError(error, path: file.path, doing: "dropping a transaction that was never acknowledged")
        }
    }

    /// Puts aside what a killed writer left, all of it, in pieces where it is long.
    ///
    /// - Throws: ``StorageError/Code/full`` where there is no room to put it aside.
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

    /// Not all of it in memory at once.
    private static let pieceByteCount: UInt64 = 64 << 20
}
