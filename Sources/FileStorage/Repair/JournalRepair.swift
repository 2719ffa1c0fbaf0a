// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// Repairs the journal and the state file of a group. The caller holds the writer's lock, and `file` is the installed
/// journal.
struct JournalRepair {
    let directory: GroupDirectory
    let file: CheckedFile
    let header: SalvagedHeader
    /// The state file to replace if it does not match the journal.
    let replacedState: StoreState?
    /// Receives the newest sequence found, before any change is made, and returns the newest one known elsewhere;
    /// throws to refuse the repair.
    let judgeNewest: (UInt64) throws(StorageError) -> UInt64
    /// Whether to accept a journal that is older than the page or the keyring knows.
    let acceptsRollback: Bool

    /// What a repair would do.
    func plan() throws(StorageError) -> JournalRepairReport {
        let isStateUsable = try isStateUsable()
        let salvage = try look()
        var report = salvage.report
        report.isStateUnusable = !isStateUsable
        if salvage.report.wasDamaged { report.quarantinedByteCount = try salvage.unkept.byteCount() }
        if !isStateUsable { report.quarantinedByteCount += try stateByteCount() }
        return report
    }

    /// Repairs the journal, then the state file. A repair that fails before that leaves the state file unchanged.
    func run(under lock: borrowing DirectoryLock) throws(StorageError) -> JournalRepairReport {
        let isStateUsable = try isStateUsable()
        let look = try look()
        var report = look.report.wasDamaged ? try replaceJournal(look) : look.report
        if !isStateUsable {
            report.isStateUnusable = true
            report.quarantinedByteCount += try stateByteCount()
            report.quarantinedFiles.append(try directory.quarantineFile(GroupDirectory.FileName.state, label: "store"))
            try directory.writeState(state, under: lock)
            report.isRepaired = true
        }
        return report
    }

    private struct Look {
        var report: JournalRepairReport
        let unkept: UnkeptBytes
        /// The newest transaction that any place knows.
        let sequence: UInt64
    }

    private func look() throws(StorageError) -> Look {
        let salvage = try Salvage(file, in: directory, header)
        try salvage.run { _, _, _, _ in }
        if !acceptsRollback, let rollback = salvage.rollback { throw rollback }
        let known = try judgeNewest(salvage.sequence)
        var report = salvage.report
        if known > salvage.sequence { report.missingTransactionCount += known - salvage.sequence }
        return Look(report: report, unkept: salvage.unkept, sequence: max(known, salvage.sequence))
    }

    /// Replaces the journal. This counts as a transaction, because it changes the contents.
    private func replaceJournal(_ look: Look) throws(StorageError) -> JournalRepairReport {
        let salvage = try Salvage(file, in: directory, header)
        let next = salvage.header.next(sequence: look.sequence + 1)
        let builder = try SnapshotBuilder(in: directory, header: next, keys: salvage.keys)
        try salvage.run { record, partition, facts, secret throws(StorageError) in
            try builder.put(record, in: partition, facts: facts, secret: secret)
        }
        let new = try builder.finish(over: nil).header
        let aside = try salvage.unkept.setAside(in: directory)
        try directory.install(builder.temporary, as: JournalFormat.fileName) { () throws(StorageError) in
            if try !file.isNamed(in: directory) { throw KeyChain.replacedRepeatedly(in: directory) }
        }
        let cursor = TailReader.Cursor(end: new.framesOffset, sequence: new.baseSequence)
        let note = SyncNote.make(cursor, of: new.journal, keys: salvage.keys)
        directory.revision.announce(new.baseSequence, note: note)
        // What opens the old file must not stay on the disk.
        try? header.header.overwrite(in: file)
        try? file.syncErased()
        var report = look.report
        if let aside {
            report.quarantinedFiles.append(aside.name)
            report.quarantinedByteCount = aside.byteCount
        }
        report.isRepaired = true
        return report
    }

    /// Whether the state file is reliable or missing. A missing one is harmless, because the journal contains the same
    /// information.
    ///
    /// - Throws: ``StorageError/Code/foreign`` if it belongs to another group, and errors of reading it except damage.
    private func isStateUsable() throws(StorageError) -> Bool {
        let state: StoreState?
        do throws(StorageError) {
            state = try directory.readState()
        } catch {
            guard error.code == .damaged || error.code == .foreign else { throw error }
            return false
        }
        if let state, state == replacedState, !fits(state) { return false }
        try FileStore.checkGroup(header.header.group, in: directory)
        return true
    }

    private func stateByteCount() throws(StorageError) -> UInt64 {
        try directory.identity(of: GroupDirectory.FileName.state)?.size ?? 0
    }

    private func fits(_ state: StoreState) -> Bool {
        state.storage == .file && state.group == header.header.group.description
    }

    private var state: StoreState {
        StoreState(
            storage: .file,
            reason: "the journal was found",
            group: header.header.group.description,
            phase: .ready
        )
    }
}
