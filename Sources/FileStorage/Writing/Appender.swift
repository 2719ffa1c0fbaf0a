internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

/// Puts one frame behind the last one: one write, one sync. The caller holds the writer's lock.
struct Appender {
    let directory: GroupDirectory
    let position: JournalState.Position

    private var file: CheckedFile { position.generation.file }

    /// Appends a frame. Transactions that remove may use the reserve: they go on where the disk is full.
    ///
    /// - Throws: ``StorageError/Code/full`` and others where nothing was changed, ``StorageError/Code/indeterminate``
    ///   where it is unknown what the disk holds: nothing more may be appended to this file.
    func append(_ frame: [UInt8], reserve: inout Reserve, mayUseReserve: Bool) throws(StorageError) {
        if position.tornByteCount > 0 {
            try dropTornTail(mayLoseIt: mayUseReserve)
            reserve.reset()
        }
        try syncWhatOthersWrote(wasCut: position.tornByteCount > 0)
        let end = position.cursor.end
        try reserve.ensure(file, from: end, count: UInt64(frame.count), mayUseReserve: mayUseReserve)
        do throws(StorageError) {
            try file.write(frame.raw, at: end)
        } catch {
            // The next writer would find half a frame and drop it; better that there is none.
            try? Syscalls.truncate(file.descriptor, to: end)
            reserve.reset()
            try? reserve.ensure(file, from: end, count: 0, mayUseReserve: true)
            throw error
        }
        try sync()
    }

    /// Makes the frame durable. After a failure nobody knows what the disk holds, and a second try may lie: the frame is
    /// taken back so that no other process counts it, and this file is left alone.
    private func sync() throws(StorageError) {
        do throws(Errno) {
            try Syscalls.syncData(file.descriptor)
        } catch {
            try? Syscalls.truncate(file.descriptor, to: position.cursor.end)
            let detail = "the disk refused to make the transaction durable; it is unknown whether it survives a crash"
            throw StorageError(.indeterminate, path: file.path, detail: detail, errno: error)
        }
    }

    /// A frame that was written and whose writer was killed before its sync counts already: it has to be durable before
    /// another one stands behind it. So does the name of a journal whose writer was killed before it left a note, and
    /// the cut where a torn tail was dropped: else parts of that might come back under the new frame.
    private func syncWhatOthersWrote(wasCut: Bool) throws(StorageError) {
        let synced = JournalState.syncedByteCount(of: position.generation, in: directory)
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

    /// Puts aside what a killed writer left.
    ///
    /// - Throws: ``StorageError/Code/full`` where there is no room to put it aside.
    func keepTornTail() throws(StorageError) {
        let count = Int(min(position.tornByteCount, Self.largestKeptTail))
        let tail = try file.read(at: position.cursor.end, count: count)
        try directory.quarantine(tail.raw, label: "torn")
    }

    /// No transaction is longer than this in one frame; more cannot be what one writer left.
    private static let largestKeptTail: UInt64 = 64 << 20
}
