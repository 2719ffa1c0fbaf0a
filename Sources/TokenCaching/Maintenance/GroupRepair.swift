internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// Repairs what is damaged of a group that may not open: its journal, and the file that says where its records are.
struct GroupRepair {
    let directory: GroupDirectory
    let unlocker: KeyUnlocker
    let deadline: Deadline
    let isDryRun: Bool

    func run() throws(StorageError) -> RepairSummary {
        guard try directory.identity(of: FileStore.fileName) != nil else {
            let detail = "there is no journal in this folder; restore it from a backup"
            let code: StorageError.Code = try directory.readState() == nil ? .notFound : .damaged
            throw StorageError(code, path: directory.path(of: FileStore.fileName), detail: detail)
        }
        let state = readState()
        var summary = RepairSummary()
        switch state {
        case .sound(let state): unlocker.note(keyFilePath: state?.keyFile)
        case .unusable(let error):
            try setAsideState(error, &summary)
            // The journal can be looked through only once that is done.
            if isDryRun { return summary }
        }
        try unlockBeforehand()
        summary.add(
            try FileStore.repair(in: directory, until: deadline, dryRun: isDryRun) {
                [unlocker] (slots) throws(StorageError) in try unlocker.unlock(slots)
            }
        )
        if case .unusable = state { try writeState() }
        return summary
    }

    /// Looks for the keys while nobody has to wait: the repair itself holds the writer's lock.
    private func unlockBeforehand() throws(StorageError) {
        do throws(StorageError) {
            let store = try FileStore.open(in: directory, until: deadline) { [unlocker] (slots) throws(StorageError) in
                try unlocker.unlock(slots)
            }
            store.close()
        } catch {
            guard error.code != .keyMissing, error.code != .keyRejected else { throw error }
        }
    }

    private enum State {
        case sound(StoreState?)
        case unusable(StorageError)
    }

    private func readState() -> State {
        do throws(StorageError) {
            return .sound(try directory.readState())
        } catch {
            return .unusable(error)
        }
    }

    /// The journal alone says as much: a new state file is written from it.
    private func setAsideState(_ error: StorageError, _ summary: inout RepairSummary) throws(StorageError) {
        guard error.code == .damaged || error.code == .foreign else { throw error }
        summary.findings.append(
            VerificationSummary.Finding(
                description: "the file that says where the records of the group are cannot be read",
                entryHandle: nil,
                accountHandle: nil,
                isDamage: true
            )
        )
        guard !isDryRun else { return }
        summary.quarantinedFiles.append(try directory.quarantineFile(GroupDirectory.FileName.state, label: "store"))
        summary.isRepaired = true
    }

    private func writeState() throws(StorageError) {
        let store = try FileStore.open(in: directory, until: deadline) { [unlocker] (slots) throws(StorageError) in
            try unlocker.unlock(slots)
        }
        defer { store.close() }
        let state = StoreState(
            storage: .file,
            reason: "the journal was found",
            group: try store.keySlots.uuid.description,
            phase: .ready
        )
        let lock = try directory.lock(.writer, until: deadline)
        try directory.writeState(state, under: lock)
    }
}

extension RepairSummary {
    /// What the journal's own repair found and did.
    fileprivate mutating func add(_ report: RepairReport) {
        findings += report.findings.map { VerificationSummary.Finding($0) }
        keptCount = report.keptRecordCount
        removedCount = report.erasedRecordCount
        lostCount = report.lostRecordCount
        lostTransactionCount = report.lostTransactionCount
        quarantinedByteCount = report.quarantinedByteCount
        quarantinedFiles += report.quarantinedFiles
        isRepaired = isRepaired || report.isRepaired
    }
}
