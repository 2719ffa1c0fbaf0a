// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Sealing

/// The library's own key file of a group that is being created. Several processes may create the group at once.
extension KeyUnlocker {
    /// The maximum number of attempts to find a key file that other processes may be renaming.
    private static let attemptLimit = 8

    /// The content of the key file of a new group. A missing file is created. With `resuming`, another process already
    /// began to create the group, so its key file is used.
    func readOrCreateOwnKeyFile(of group: GroupUUID, resuming: Bool) throws(StorageError) -> SlotSecret {
        let file = ownKeyFiles.begun(of: group)
        for _ in 1..<Self.attemptLimit {
            if resuming, (try? file.read()) == nil, let secret = try? ownKeyFiles.first(of: group).read() {
                return secret
            }
            do throws(StorageError) {
                return try file.readOrCreate()
            } catch {
                // Another creator may have renamed the file between two attempts: the next attempt finds it.
                guard error.code == .keyMissing else { throw error }
            }
        }
        return try file.readOrCreate()
    }

    /// Whether a new group may have this UUID, which is not authenticated. It may if, as far as is known, no group has
    /// or had it: otherwise, removing that group would remove secrets of the new one.
    func mayUse(_ group: GroupUUID) -> Bool {
        guard !pinning.isUsed(group), let files = try? ownKeyFiles.all(of: group) else { return false }
        return files.allSatisfy { $0 == ownKeyFiles.begun(of: group) }
    }

    /// Renames the key file to show that the group has been created. If that fails, the group opens anyway.
    func markCreated(_ group: GroupUUID) {
        try? ownKeyFiles.begun(of: group).rename(to: ownKeyFiles.first(of: group))
    }

    /// Removes a key file that came too late: another file opens the group, and has its final name.
    func removeLateKeyFile(_ group: GroupUUID) {
        guard let files = try? ownKeyFiles.all(of: group), files.contains(ownKeyFiles.first(of: group)) else { return }
        try? ownKeyFiles.begun(of: group).remove()
    }
}
