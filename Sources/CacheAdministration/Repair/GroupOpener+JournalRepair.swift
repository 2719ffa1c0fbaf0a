// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage
internal import TokenCaching

extension GroupOpener {
    /// Repairs a group whose state file points away from its journal. Anyone who can write to the folder can forge the
    /// state file. So the journal takes precedence if it opens, and either the state file is not authenticated, or the
    /// keyring that it names holds nothing of the group. If the keyring holds the group as well, the journal takes
    /// precedence only if it is newer, or if the user chose it by naming the file.
    ///
    /// - Returns: `nil` if the state file takes precedence or agrees with the journal, or if the journal does not open.
    func repairByJournal(isDryRun: Bool) throws(StorageError) -> RepairReport? {
        if case .memory = storage { return nil }
        let directory = try location.openDirectory(.readWrite)
        let known = try StoragePlanner.known(directory)
        guard let state = known.state, let journal = known.journal, state.storage != .file else { return nil }
        let withoutState = StoragePlanner.Known(state: nil, journal: journal, needingState: nil)
        let planner = StoragePlanner.forExisting(storage, fallbackUnlocking)
        guard let plan = try? planner.plan(directory, withoutState), plan.kind == .file else { return nil }
        let time = WaitingTime(timeout)
        return try withUnlocker(plan) { unlocker throws(StorageError) -> RepairReport? in
            let keys = try? unlocker.restarting(time) { () throws(StorageError) in
                try FileStore.keysOfJournal(
                    in: directory,
                    until: time.deadline,
                    costs: { unlocker.questionCount },
                    unlock: { (slots, end) throws(StorageError) in try unlocker.unlock(slots, until: end) }
                )
            }
            guard let keys else { return nil }
            let isVouchedFor = state.isAuthentic(under: keys)
            // A state file from before a migration from the keyring to the file is authentic too.
            if isVouchedFor, state.storage != .keyring { return nil }
            let older = try copyInKeyring(
                of: keys,
                state: state,
                isVouchedFor: isVouchedFor,
                in: directory,
                within: time
            )
            if let older, !acceptsRollback {
                // Otherwise the state file is right, authenticated or not.
                let newest = older.sequence + (state.target?.storage == .file ? 1 : 0)
                guard try isJournal(in: directory, newerThan: newest, unlocker, time) else { return nil }
            }
            let repair = GroupRepair(
                directory: directory,
                unlocker: unlocker,
                time: time,
                isDryRun: isDryRun,
                state: state,
                acceptsRollback: acceptsRollback,
                acceptsName: acceptsName,
                others: older.map { [OtherStore(StoreReference(.keyring, collection: $0.collection))] } ?? []
            )
            let isOwn = directory.hasOwnSecrets(of: keys, state)
            let summary = try repair.run()
            if let older, !isDryRun, let keys = unlocker.newestKeys {
                // The next process that opens the group for writing empties it.
                try directory.changeState(with: keys, until: time.deadline) { new in
                    new.leftover = StoreReference(.keyring, collection: older.collection)
                    if isOwn { new.folder = directory.folderIdentity }
                }
            }
            return summary
        }
    }

    /// The group's data in the keyring.
    private struct CopyInKeyring {
        let sequence: UInt64
        let collection: String?
    }

    /// The data that the keyring holds of the group with these keys, in any collection that may contain it; `nil` if
    /// there is none, or if the user named the file.
    private func copyInKeyring(
        of keys: GroupKeys,
        state: StoreState,
        isVouchedFor: Bool,
        in directory: GroupDirectory,
        within time: WaitingTime
    ) throws(StorageError) -> CopyInKeyring? {
        if case .file = storage, !acceptsRollback { return nil }
        var copies: [CopyInKeyring] = []
        for collection in Set([state.collection, state.target?.collection, nil]) {
            do throws(StorageError) {
                let location = try keyringAccess.location(collection)
                let found = try KeyringBulkLoader.newest(of: keys, in: directory, location, until: time.deadline)
                if let found {
                    copies.append(CopyInKeyring(sequence: found, collection: collection))
                }
            } catch {
                switch error.code {
                case .groupElsewhere, .foreign: break
                case .keyringMissing where !isVouchedFor && (collection != nil || state.storage != .keyring): break
                case .keyringMissing:
                    throw StorageError(
                        .keyringMissing,
                        path: error.path,
                        detail:
                            "the state file says that the group is in the keyring",
                        advice: "If the keyring has nothing newer than the journal in this folder, run "
                            + "cachetool repair --storage file to use the journal"
                    )
                default: throw error
                }
            }
        }
        return copies.max { $0.sequence < $1.sequence }
    }

    /// Whether the journal is newer than the keyring's data.
    private func isJournal(
        in directory: GroupDirectory,
        newerThan sequence: UInt64,
        _ unlocker: KeyUnlocker,
        _ time: WaitingTime
    ) throws(StorageError) -> Bool {
        do throws(StorageError) {
            let store = try open(in: directory, unlocker, time)
            defer { store.close() }
            return try store.newestSequence(until: time.deadline) > sequence
        } catch {
            guard error.code == .damaged || error.code == .foreign else { throw error }
            throw StorageError(
                .damaged,
                path: directory.path(of: FileStore.fileName),
                detail:
                    "the keyring has this group too, and the damaged journal does not show which of the two is newer",
                advice:
                    "Run cachetool repair --storage file to use the journal, or move the journal away to use the keyring"
            )
        }
    }
}
