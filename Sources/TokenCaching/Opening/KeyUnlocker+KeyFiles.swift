// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage

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
    /// or had it: otherwise, removing one of the two groups would remove secrets of the other.
    func mayUse(_ group: GroupUUID, until deadline: Deadline) -> Bool {
        guard let files = try? ownKeyFiles.all(of: group) else { return false }
        return files.allSatisfy { $0 == ownKeyFiles.begun(of: group) } && !isInKeyring(group, until: deadline)
    }

    /// Whether the keyring has items of a group with this UUID, for any folder. If this creation makes an item for a key
    /// slot, such items do not count: another creator of this group may have made one. False if the keyring does not
    /// answer soon, because most groups that are being created do not need it.
    private func isInKeyring(_ group: GroupUUID, until deadline: Deadline) -> Bool {
        guard let location = try? keyringAccess.location(nil),
            let items = try? GroupItems(keyringAccess.group, location)
        else { return false }
        defer { items.close() }
        let makesItem = creation.contains { $0.slotKind.secretPlace == .keyring }
        let soon = min(deadline, .after(.milliseconds(500)))
        return (try? items.hasGroup(group, countsSlots: !makesItem, until: soon)) == true
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
