internal import GroupDirectory
internal import RecordStorage

extension GroupDirectory {
    /// Leaves a note in the shared page on how much of a journal is durable.
    func noteSynced(_ journal: JournalID, byteCount: UInt64) {
        guard let boot = BootID.current else { return }
        revision.setSyncedLength(SyncedLength(boot: boot, journal: (journal.first, journal.second), length: byteCount))
    }

}
