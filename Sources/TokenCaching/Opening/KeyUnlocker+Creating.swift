package import RecordStorage
package import Sealing

extension KeyUnlocker {
    /// What a new group is to be opened with, as far as it does not bear the group's UUID. People are asked here.
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

    /// What the library itself makes for a group that comes to the file from elsewhere: its key file, its item in the keyring.
    package func makeOwn(for keys: GroupKeys, until deadline: Deadline) throws(StorageError) -> [NewSlot] {
        try makeOwn(keys.uuid, goingOn: false, until: deadline) { () throws(StorageError) in
            try ownKeyFiles.first(of: keys.uuid, epoch: keys.epoch).readOrCreate()
        }
    }

    /// The same for a new group. With `goingOn` somebody began to make it: a key file or an item that they made is used.
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
                    // Who makes the group too has given it its name between two looks: the next look sees that.
                    guard error.code == .keyMissing else { throw error }
                }
            }
            return try file.readOrCreate()
        }
    }

    /// How often it is looked for a key file that others may be renaming.
    private static let attemptLimit = 8

    /// Whether a new group may have this UUID, which nobody vouches for: no group has it or had it, as far as can be known, so
    /// that nothing is shared with it that goes with the one or the other.
    func mayGive(_ group: GroupUUID) -> Bool {
        guard !pinning.isUsed(group), let files = try? ownKeyFiles.all(of: group) else { return false }
        return files.allSatisfy { $0 == ownKeyFiles.begun(of: group) }
    }

    /// Tells by the name of the key file that the group is made. If that cannot be now, the group opens all the same.
    func noteMade(_ group: GroupUUID) {
        try? ownKeyFiles.begun(of: group).rename(to: ownKeyFiles.first(of: group))
    }

    /// Removes a key file that came too late: another one opens the group, and bears its name by now.
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
