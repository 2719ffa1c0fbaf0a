// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
public import TokenCaching

extension GroupReference {
    /// Examines everything that a group depends on: its folder, files, locks and key slots, the keyring, and the memory
    /// for secrets.
    ///
    /// Opens every record of a group of up to 64 MiB; of a larger group, only 64 MiB of records. Changes nothing,
    /// except that a write probe writes a canary and removes it. Reports problems as findings instead of throwing them,
    /// so that one problem does not hide the next. The timeout is that of the whole examination.
    ///
    /// - Parameters:
    ///   - probesWriting: whether to write a canary to the group's store, read it back and remove it.
    ///   - checksAllRecords: whether to open every record of a larger group as well.
    ///   - requiresUsableAccounts: whether an account that can no longer get tokens is a problem rather than a note.
    ///   - progress: is called while records are opened, and can end that step.
    /// - Returns: the findings, in order of dependency.
    /// - Throws: `invalidName`, `homeMissing` if the home folder is unknown.
    public func examine(
        probesWriting: Bool = false,
        checksAllRecords: Bool = false,
        requiresUsableAccounts: Bool = false,
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> [ExaminationFinding] {
        let location = try location
        while true {
            var examination = GroupExamination(
                reference: self,
                location: location,
                probesWriting: probesWriting,
                checksAllRecords: checksAllRecords,
                requiresUsableAccounts: requiresUsableAccounts,
                progress: progress,
                deadline: .after(timeout)
            )
            let state = location.state
            examination.run()
            // A migration that ended meanwhile makes the open group unreadable, and is no problem.
            let isOvertaken = examination.findings.contains { $0.error?.code == .storageMismatch }
            if !isOvertaken || location.state == state { return examination.findings }
        }
    }
}

extension GroupLocation {
    /// What the state file says, if it can be read: a migration that ends meanwhile changes it.
    var state: StoreState? {
        guard let directory = try? openDirectory(.readOnly) else { return nil }
        return try? directory.readState()
    }
}
