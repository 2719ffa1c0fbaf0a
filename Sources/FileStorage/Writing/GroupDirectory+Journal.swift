internal import GroupDirectory
internal import RecordStorage

extension GroupDirectory {
    /// Leaves a note in the shared page on how much of a journal is durable.
    func noteSynced(_ journal: JournalID, byteCount: UInt64) {
        guard let boot = BootID.current else { return }
        revision.setSyncedLength(SyncedLength(boot: boot, journal: (journal.first, journal.second), length: byteCount))
    }

    /// Runs `body` while a lock is held.
    func withLock<Result>(
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
            lock.release()
            throw error
        }
    }
}
