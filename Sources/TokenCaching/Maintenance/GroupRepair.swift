internal import FileStorage
internal import GroupDirectory
internal import RecordStorage

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
        if let keyFile = (try? directory.readState())?.keyFile { unlocker.note(keyFilePath: keyFile) }
        var summary = RepairSummary()
        summary.add(
            try FileStore.repair(in: directory, until: deadline, dryRun: isDryRun) {
                [unlocker] (slots) throws(StorageError) in
                try unlocker.unlock(slots)
            }
        )
        return summary
    }
}

extension RepairSummary {
    /// What the store found and did.
    fileprivate mutating func add(_ report: RepairReport) {
        if report.isStateUnusable { findings.append(Self.unusableState) }
        findings += report.findings.map { VerificationSummary.Finding($0) }
        keptCount = report.keptRecordCount
        removedCount = report.erasedRecordCount
        lostCount = report.lostRecordCount
        lostTransactionCount = report.lostTransactionCount
        quarantinedByteCount = report.quarantinedByteCount
        quarantinedFiles += report.quarantinedFiles
        isRepaired = isRepaired || report.isRepaired
    }

    private static var unusableState: VerificationSummary.Finding {
        VerificationSummary.Finding(
            description: "the file that says where the records of the group are cannot be read",
            entryHandle: nil,
            accountHandle: nil,
            isDamage: true
        )
    }
}
