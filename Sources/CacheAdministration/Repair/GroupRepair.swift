// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage
internal import TokenCaching

/// Repairs the journal and the state file of a group that may not open.
struct GroupRepair {
    let directory: GroupDirectory
    let unlocker: KeyUnlocker
    let time: WaitingTime
    let isDryRun: Bool
    /// The state file. It is disregarded if it contradicts the journal, because it is not authenticated.
    let state: StoreState?
    /// Whether to accept a journal although the keyring has recorded a newer state.
    let acceptsRollback: Bool
    /// Whether to accept a journal that was made for a group of another name.
    let acceptsName: Bool
    /// The other stores that may contain records of the group, and newer ones than the journal.
    let others: [OtherStore]

    func run() throws(StorageError) -> RepairReport {
        let identity = try directory.identity(of: FileStore.fileName)
        let look = try FileStore.look(in: directory)
        if look == .absent {
            // An unreadable state file shows that the folder held a group.
            let state = try? directory.readState()
            guard state != nil || hasStateFile, state?.phase != .creating else {
                throw StorageError(
                    .notFound,
                    path: directory.path(of: FileStore.fileName),
                    detail: "there is no journal in this folder, and no group"
                )
            }
            try refuseWhereKeyringHasGroup()
            return try startOver(look, identity)
        }
        // If the start of a journal is damaged, the copy of its header may still be intact. If neither is, nothing can
        // be recovered.
        guard let report = try repairJournal() else { return try startOver(look, identity) }
        var summary = RepairReport()
        summary.add(report, state: state, keys: unlocker.newestKeys)
        return summary
    }

    /// If the folder has no journal, the state file may be forged: refuses to start over if the keyring has the group.
    private func refuseWhereKeyringHasGroup() throws(StorageError) {
        let isInKeyring = Set([state?.collection, nil]).contains { collection in
            guard let location = try? unlocker.keyringAccess.location(collection) else { return false }
            return (try? SecretServiceStore.hasGroup(named: directory.name, location, until: time.deadline)) == true
        }
        if !isInKeyring { return }
        throw StorageError(
            .groupElsewhere,
            path: directory.path.string,
            detail: "the folder has no journal, and the keyring has a group of this name"
        )
    }

    private var hasStateFile: Bool { (try? directory.identity(of: GroupDirectory.FileName.state)) != nil }

    private func repairJournal() throws(StorageError) -> JournalRepairReport? {
        try unlocker.restarting(time) { () throws(StorageError) in
            try FileStore.repair(
                in: directory,
                until: time.deadline,
                dryRun: isDryRun,
                acceptsName: acceptsName,
                replacing: state,
                acceptsRollback: acceptsRollback,
                costs: { unlocker.questionCount },
                judge: { slots, keys in
                    let rollback = RollbackGuard(directory: directory, unlocker: unlocker)
                    let compare = rollback.comparison(slots, keys, isAccepted: acceptsRollback, until: time.deadline)
                    let copies = others.filter(\.store.storage.isInKeyring).compactMap { copy(of: keys, in: $0) }
                    return { sequence throws(StorageError) in
                        if !acceptsRollback { for copy in copies { try copy.check(sequence, .file, in: directory) } }
                        return copies.map(\.sequence).reduce(try compare(sequence), max)
                    }
                }
            ) { [unlocker] (slots, end) throws(StorageError) in try unlocker.unlock(slots, until: end) }
        }
    }

    /// What the keyring has of the group; `nil` if that is nothing, or it cannot be asked now.
    private func copy(of keys: GroupKeys, in other: OtherStore) -> StoreCopy? {
        guard let location = try? unlocker.keyringAccess.location(other.store.collection) else { return nil }
        let newest = try? KeyringBulkLoader.newest(of: keys, in: directory, location, until: time.deadline)
        return newest.map { StoreCopy(other, sequence: $0) }
    }

    /// Quarantines the file in place of the journal. The next process that opens the group for writing creates a new
    /// journal.
    private func startOver(_ look: JournalLook, _ identity: FileIdentity?) throws(StorageError) -> RepairReport {
        var summary = RepairReport()
        summary.beginsAnew = true
        summary.maximumLostCount = nil
        summary.findings = [.damage("\(look.problem); no records can be recovered, and the group starts over, empty")]
        summary.quarantinedByteCount =
            (identity?.size ?? 0) + (try directory.identity(of: GroupDirectory.FileName.state)?.size ?? 0)
        if isDryRun { return summary }
        summary.quarantinedFiles = try FileStore.setAside(identity, in: directory, until: time.deadline)
        summary.isRepaired = true
        return summary
    }
}

extension VerificationReport.Finding {
    fileprivate static func damage(_ description: String) -> VerificationReport.Finding {
        VerificationReport.Finding(description: description, entryHandle: nil, accountHandle: nil, isDamage: true)
    }
}

extension RepairReport {
    /// Adds what the store's repair found and did.
    fileprivate mutating func add(_ report: JournalRepairReport, state: StoreState?, keys: GroupKeys?) {
        if report.isStateUnusable { findings.append(state.map { Self.unfit($0, keys) } ?? Self.unusableState) }
        findings += report.findings.map { VerificationReport.Finding($0) }
        keptCount = report.keptRecordCount
        removedCount = report.erasedRecordCount
        lostCount = report.lostRecordCount
        maximumLostCount = report.hasUnknownLoss ? nil : report.lostRecordCount
        lostTransactionCount = report.lostTransactionCount
        missingTransactionCount = report.missingTransactionCount
        quarantinedByteCount = report.quarantinedByteCount
        quarantinedFiles += report.quarantinedFiles
        isRepaired = isRepaired || report.isRepaired
    }

    /// The finding for a readable state file that contradicts the journal.
    private static func unfit(_ state: StoreState, _ keys: GroupKeys?) -> VerificationReport.Finding {
        let location =
            state.storage.isInKeyring
            ? "; if you moved the group to a keyring, start the keyring first, then repair" : ""
        let isVouchedFor = keys.map { state.isAuthentic(under: $0) } ?? false
        return .damage(
            "the state file (store), which says where the records of the group are, contradicts the journal"
                + (isVouchedFor ? "" : " and is not signed with the keys of the group")
                + ": it is rewritten from the journal" + location
        )
    }

    private static var unusableState: VerificationReport.Finding {
        .damage("the state file, which says where the records of the group are, cannot be read")
    }
}

extension VerificationReport.Finding {
    fileprivate init(_ finding: JournalFinding) {
        self.init(
            description: finding.description,
            entryHandle: finding.record.map(EntryHandle.init),
            accountHandle: finding.partition.map(AccountHandle.init),
            isDamage: finding.isDamage
        )
    }
}
