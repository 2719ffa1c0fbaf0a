internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import Synchronization

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
        var summary = RepairSummary()
        var replacesState = false
        switch Self.readState(directory) {
        case .sound(let state): unlocker.note(keyFilePath: state?.keyFile)
        case .unusable(let error):
            guard Self.isDamage(error) else { throw error }
            summary.findings.append(Self.unusableState)
            // The journal can be looked through only once that file is set aside.
            if isDryRun { return summary }
            replacesState = true
        }
        try unlockBeforehand()
        let setAside = SetAsideState(directory)
        summary.add(
            try FileStore.repair(in: directory, until: deadline, dryRun: isDryRun) {
                [unlocker, replacesState] (slots) throws(StorageError) in
                let keys = try unlocker.unlock(slots)
                // The writer's lock is held, and whoever repairs has the keys of the journal.
                if replacesState { try setAside.run() }
                return keys
            }
        )
        guard replacesState else { return summary }
        let names = setAside.names
        summary.quarantinedFiles += names
        if !names.isEmpty { summary.isRepaired = true }
        try writeState()
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

    fileprivate enum State {
        case sound(StoreState?)
        case unusable(StorageError)
    }

    fileprivate static func readState(_ directory: GroupDirectory) -> State {
        do throws(StorageError) {
            return .sound(try directory.readState())
        } catch {
            return .unusable(error)
        }
    }

    /// Whether the state file can be done without: the journal alone says as much, and a new one is written from it.
    fileprivate static func isDamage(_ error: StorageError) -> Bool {
        error.code == .damaged || error.code == .foreign
    }

    private static var unusableState: VerificationSummary.Finding {
        VerificationSummary.Finding(
            description: "the file that says where the records of the group are cannot be read",
            entryHandle: nil,
            accountHandle: nil,
            isDamage: true
        )
    }

    /// Unless somebody else has meanwhile.
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
        if try directory.readState() == nil { try directory.writeState(state, under: lock) }
    }
}

/// Sets a state file aside that cannot be read. The caller holds the writer's lock.
private final class SetAsideState: Sendable {
    private let directory: GroupDirectory
    private let files = Mutex<[String]>([])

    init(_ directory: GroupDirectory) {
        self.directory = directory
    }

    /// The names that it got in the quarantine.
    var names: [String] { files.withLock { $0 } }

    func run() throws(StorageError) {
        // Looked at anew: only under the lock it stays what it is.
        guard case .unusable(let error) = GroupRepair.readState(directory), GroupRepair.isDamage(error) else { return }
        let name = try directory.quarantineFile(GroupDirectory.FileName.state, label: "store")
        files.withLock { $0.append(name) }
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
