// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SystemPackage
internal import TokenCaching

/// Authenticates a state file that names another store to empty but is not authenticated with the group's keys, because
/// an older version, or a process without the keys, wrote it.
struct StateRepair {
    let directory: GroupDirectory
    /// The keys of the store in use, which was opened with them.
    let keys: GroupKeys
    let deadline: Deadline
    let isDryRun: Bool

    /// - Returns: `summary`, extended with the findings and changes of this repair.
    func run(after summary: RepairReport) throws(StorageError) -> RepairReport {
        // An unreadable state file is rewritten together with the journal.
        guard let state = try? directory.readState(), try needsRepair(state) else { return summary }
        var summary = summary
        summary.findings.append(Self.finding(state))
        if isDryRun { return summary }
        guard let lock = try directory.tryLock(.keys) else {
            throw StorageError(
                .busy,
                path: directory.path.string,
                detail: "another process is changing its keys or migrating it"
            )
        }
        let writing = try directory.lock(.writer, until: deadline)
        guard var now = try directory.readState(), now == state else {
            throw StorageError(
                .busy,
                path: directory.path.string,
                detail: "its state file was replaced during the repair"
            )
        }
        now.reason = StoreState.unauthenticatedReason
        now.folder = nil
        // For a group in the keyring, the recorded collection is the one in which the group was opened. Key slots of a
        // file are found in any collection.
        if now.storage == .file { now.collection = nil }
        if try namesUnstartedMigration(state) { (now.phase, now.target) = (.ready, nil) }
        try now.authenticate(with: keys)
        try directory.writeState(now, under: writing)
        writing.release()
        lock.release()
        summary.isRepaired = true
        return summary
    }

    /// A state file of an older version that names nothing to remove is accepted, unless it points to the keyring
    /// although there is a journal; the next change authenticates it.
    private func needsRepair(_ state: StoreState) throws(StorageError) -> Bool {
        guard state.group == keys.uuid.description, !state.isAuthentic(under: keys) else { return false }
        if state.namesRemovals || state.authenticator != nil { return true }
        guard state.storage == .keyring else { return false }
        return try directory.identity(of: FileStore.fileName) != nil
    }

    /// Whether the state file says that the group is being migrated from the keyring to the file, but that file does
    /// not exist.
    private func namesUnstartedMigration(_ state: StoreState) throws(StorageError) -> Bool {
        guard state.phase == .moving, state.storage == .keyring else { return false }
        return try directory.identity(of: FileStore.fileName) == nil
    }

    private static func finding(_ state: StoreState) -> VerificationReport.Finding {
        let removed = state.leftover.map { "the remains of the group in the \($0.storage.rawValue)" }
        let begun = state.target.map { "the start of a migration in the \($0.storage.rawValue)" }
        let names = [removed, begun].compactMap(\.self).joined(separator: ", and ")
        return VerificationReport.Finding(
            description: "the state file is not signed with the keys of the group"
                + (names.isEmpty
                    ? ""
                    : "; it lists for removal: \(names), which are removed after this repair if they belong to this group "
                        + "and are not newer"),
            entryHandle: nil,
            accountHandle: nil,
            isDamage: true
        )
    }
}
