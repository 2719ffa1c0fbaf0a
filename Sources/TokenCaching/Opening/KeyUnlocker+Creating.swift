package import RecordStorage
package import Sealing

extension KeyUnlocker {
    /// The secrets for a new group that do not depend on the group's UUID. Prompts the user.
    package func gatherSecrets() throws(StorageError) -> [SlotSecret] {
        var secrets: [SlotSecret] = []
        for material in creation {
            switch material {
            case .ownKeyFile, .keyring: break
            case .keyFile(let file): secrets.append(try file.readOrCreate())
            case .passphrase(let ask):
                guard let secret = try passphrase(for: .create, ask: ask) else {
                    throw StorageError(.keyMissing, detail: "no passphrase was given")
                }
                secrets.append(secret)
            }
        }
        return secrets
    }

    /// Creates the library's own secrets for a group that is migrated to the file: its key file, its keyring item.
    package func makeOwn(for keys: GroupKeys, until deadline: Deadline) throws(StorageError) -> [NewSlot] {
        try makeOwn(keys.uuid, goingOn: false, until: deadline) { () throws(StorageError) in
            try ownKeyFiles.first(of: keys.uuid, epoch: keys.epoch).readOrCreate()
        }
    }

    /// The same for a new group. With `goingOn`, its creation was already begun: an existing key file or item is used.
    func makeOwnOfNewGroup(
        _ group: GroupUUID,
        goingOn: Bool,
        until deadline: Deadline
    ) throws(StorageError) -> [NewSlot] {
        try makeOwn(group, goingOn: goingOn, until: deadline) { () throws(StorageError) in
            let file = ownKeyFiles.begun(of: group)
            for _ in 1..<Self.attemptLimit {
                if goingOn, (try? file.read()) == nil, let secret = try? ownKeyFiles.first(of: group).read() {
                    return secret
                }
                do throws(StorageError) {
                    return try file.readOrCreate()
                } catch {
                    // Another creator may have renamed it between two attempts: the next attempt finds it.
                    guard error.code == .keyMissing else { throw error }
                }
            }
            return try file.readOrCreate()
        }
    }

    /// The maximum number of attempts to find a key file that others may be renaming.
    private static let attemptLimit = 8

    /// Whether a new group may have this UUID, which is not authenticated: no group has or had it, as far as is known,
    /// so that the new group shares nothing that is removed with another one.
    func mayGive(_ group: GroupUUID) -> Bool {
        guard !pinning.isUsed(group), let files = try? ownKeyFiles.all(of: group) else { return false }
        return files.allSatisfy { $0 == ownKeyFiles.begun(of: group) }
    }

    /// Renames the key file to show that the group is created. If that fails, the group opens all the same.
    func noteMade(_ group: GroupUUID) {
        try? ownKeyFiles.begun(of: group).rename(to: ownKeyFiles.first(of: group))
    }

    /// Removes a key file that came too late: another one opens the group, and has its final name.
    func removeLateKeyFile(_ group: GroupUUID) {
        guard let files = try? ownKeyFiles.all(of: group), files.contains(ownKeyFiles.first(of: group)) else { return }
        try? ownKeyFiles.begun(of: group).remove()
    }

    private func makeOwn(
        _ group: GroupUUID,
        goingOn: Bool,
        until deadline: Deadline,
        _ keyFile: () throws(StorageError) -> SlotSecret
    ) throws(StorageError) -> [NewSlot] {
        var slots: [NewSlot] = []
        for case .ownKeyFile in creation { slots = [NewSlot(try keyFile())] }
        for case .keyring(let collection) in creation {
            let existing = goingOn ? try existingKeyringSlot(collection, group, until: deadline) : nil
            if let existing {
                slots.append(existing)
            } else {
                slots.append(try makeKeyringSlot(collection, group, until: deadline))
            }
        }
        return slots
    }
}
