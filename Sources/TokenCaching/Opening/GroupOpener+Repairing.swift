internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SystemPackage

extension GroupOpener {
    /// Repairs the group instead of opening it: its journal, and the file that says where its records are.
    package func repair(isDryRun: Bool) throws(TokenCacheError) -> RepairSummary {
        if let summary = try repairByJournal(isDryRun: isDryRun) { return summary }
        let (directory, plan) = try existingGroup(StoragePlanner.forRepair(storage, otherWays))
        let time = WaitingTime(timeout)
        if plan.kind == .keyring {
            return try storing { () throws(StorageError) in
                guard let opened = try openKeyring(in: directory, plan, time, isForRepair: true) else {
                    throw StorageError(.busy)
                }
                defer { opened.store.close() }
                let keys = try opened.keysAndSequence(until: time.deadline)?.keys
                return try repairState(in: directory, keys, time, isDryRun, RepairSummary())
            }
        }
        return try withFileGroup(directory, plan) { unlocker throws(StorageError) in
            if plan.state?.phase == .moving {
                let store = try open(in: directory, unlocker, time)
                defer { store.close() }
                let keys = try unlocker.unlock(store.keySlots, until: time.deadline)
                var summary = RepairSummary()
                summary.findings.append(Self.moving)
                return try repairState(in: directory, keys, time, isDryRun, summary)
            }
            let repair = GroupRepair(
                directory: directory,
                unlocker: unlocker,
                time: time,
                isDryRun: isDryRun,
                state: plan.state,
                acceptsRollback: acceptsRollback
            )
            let summary = try repair.run()
            return try repairState(in: directory, unlocker.newestKeys, time, isDryRun, summary)
        }
    }

    private func repairState(
        in directory: GroupDirectory,
        _ keys: GroupKeys?,
        _ time: WaitingTime,
        _ isDryRun: Bool,
        _ summary: RepairSummary
    ) throws(StorageError) -> RepairSummary {
        // Where nobody was asked for keys, the journal was none.
        guard let keys else { return summary }
        let repair = StateRepair(directory: directory, keys: keys, deadline: time.deadline, isDryRun: isDryRun)
        return try repair.run(after: summary)
    }

    // MARK: - A state file that leads nowhere

    /// Whoever can write the folder can write that its records are elsewhere. Where there is a journal that opens, of the
    /// group that is pinned if one is, that counts, and not what nobody with its keys vouches for; but where the keyring has
    /// the group, too, only if the journal is newer.
    ///
    /// - Returns: `nil` where the state file counts, or says nothing else, or the journal does not open.
    private func repairByJournal(isDryRun: Bool) throws(TokenCacheError) -> RepairSummary? {
        if case .memory = storage { return nil }
        let (directory, known) = try storing { () throws(StorageError) in
            let directory = try openDirectory(.readWrite)
            return (directory, try StoragePlanner.known(directory))
        }
        guard let state = known.state, let journal = known.journal, state.storage != .file || state.phase == .moving
        else {
            return nil
        }
        let time = WaitingTime(timeout)
        let planner = StoragePlanner.forRepair(storage, otherWays)
        var inKeyring: (keys: GroupKeys, sequence: UInt64)?
        if state.storage == .keyring {
            let look = try storing { () throws(StorageError) in try lookIntoKeyring(directory, known, time) }
            switch look {
            case .gone: break
            case .unknown: return nil
            case .found(let keys, let sequence):
                if state.isAuthentic(under: keys) { return nil }
                inKeyring = (keys, sequence)
            }
        }
        let withoutState = StoragePlanner.Known(state: nil, journal: journal)
        guard let plan = try? planner.plan(directory, withoutState), plan.kind == .file else { return nil }
        return try withFileGroup(directory, plan) { unlocker throws(StorageError) -> RepairSummary? in
            unlocker.note(keyFilePath: state.keyFile)
            unlocker.note(collection: state.collection)
            let keys = try? unlocker.giving(time) { () throws(StorageError) in
                try FileStore.keysOfJournal(
                    in: directory,
                    until: time.deadline,
                    costs: { unlocker.questionCount },
                    unlock: { (slots, end) throws(StorageError) in try unlocker.unlock(slots, until: end) }
                )
            }
            guard let keys, !state.isAuthentic(under: keys) else { return nil }
            if let inKeyring {
                guard keys.areOfSameGroup(as: inKeyring.keys),
                    try isJournalNewer(than: inKeyring.sequence, in: directory, unlocker, time)
                else { return nil }
            }
            let repair = GroupRepair(
                directory: directory,
                unlocker: unlocker,
                time: time,
                isDryRun: isDryRun,
                state: state,
                acceptsRollback: acceptsRollback
            )
            let summary = try repair.run()
            if inKeyring != nil, !isDryRun {
                // It holds an older state of the group. Whoever opens that next empties it.
                try directory.changeState(with: keys, until: time.deadline) {
                    $0.leftover = StoreReference(.keyring, collection: state.collection)
                }
            }
            return summary
        }
    }

    /// Whether the journal has come further than the keyring, or the person says that it counts.
    private func isJournalNewer(
        than sequence: UInt64,
        in directory: GroupDirectory,
        _ unlocker: KeyUnlocker,
        _ time: WaitingTime
    ) throws(StorageError) -> Bool {
        if case .file = storage { return true }
        do throws(StorageError) {
            let store = try open(in: directory, unlocker, time)
            defer { store.close() }
            return try store.newestSequence > sequence
        } catch {
            guard error.code == .damaged else { throw error }
            throw StorageError(
                .damaged,
                path: directory.path(of: FileStore.fileName),
                detail:
                    "the keyring has this group too, and nothing tells which of the two is newer, since the journal is damaged; "
                    + "cachetool repair --storage file takes the journal; where that is moved away the group is in the keyring"
            )
        }
    }

    /// What the keyring has of a group that the state file says is in one.
    private enum KeyringFinding {
        case gone
        /// It cannot be asked now.
        case unknown
        case found(GroupKeys, sequence: UInt64)
    }

    private func lookIntoKeyring(
        _ directory: GroupDirectory,
        _ known: StoragePlanner.Known,
        _ time: WaitingTime
    ) throws(StorageError) -> KeyringFinding {
        do throws(StorageError) {
            let planner = StoragePlanner.forRepair(.automatic, [])
            let plan = try planner.plan(directory, known)
            guard let opened = try openKeyring(in: directory, plan, time, isForRepair: true) else {
                throw StorageError(.busy, path: directory.path.string, detail: "the group keeps changing")
            }
            defer { opened.store.close() }
            guard let (keys, sequence) = try opened.keysAndSequence(until: time.deadline) else { return .unknown }
            return .found(keys, sequence: sequence)
        } catch {
            switch error.code {
            case .keyringMissing, .keyringItemMissing, .notFound, .groupElsewhere, .foreign: return .gone
            default: return .unknown
            }
        }
    }

    private static var moving: VerificationSummary.Finding {
        VerificationSummary.Finding(
            description: GroupDirectory.movingDetail,
            entryHandle: nil,
            accountHandle: nil,
            isDamage: false
        )
    }
}

extension StoragePlan {
    /// An error of a keyring that the group is not in, where a journal lies in the folder as well.
    func mentioningJournal(_ error: StorageError) -> StorageError {
        guard journal != nil, [.keyringMissing, .keyringItemMissing, .notFound].contains(error.code) else {
            return error
        }
        return error.mentioningJournal
    }
}

extension StorageError {
    /// With the way out where a state file may lead away from the journal beside it.
    var mentioningJournal: StorageError {
        let hint = "a journal lies in the folder all the same, and cachetool repair looks whether that is the group"
        return StorageError(
            code,
            path: path,
            detail: [detail, hint].compactMap(\.self).joined(separator: "; "),
            errno: errno
        )
    }
}
