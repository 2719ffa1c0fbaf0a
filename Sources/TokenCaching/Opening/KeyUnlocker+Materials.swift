// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import Sealing
internal import SecretServiceStorage

/// How each kind of secret opens a group, and how slots for it are created, kept and replaced.
extension KeyUnlocker {
    /// Opens the slots with one secret.
    ///
    /// - Returns: nil if there is no slot of its kind.
    func open(
        _ slots: KeySlots,
        with material: KeyMaterial,
        until deadline: Deadline
    ) throws(StorageError) -> GroupKeys? {
        guard slots.slots.contains(where: { $0.kind == material.slotKind }) else { return nil }
        switch material {
        case .ownKeyFile: return try openWithOwnKeyFile(slots, until: deadline)
        case .keyFile(let file): return try open(slots, with: file)
        case .keyring(let collection): return try openWithKeyring(slots, collection, until: deadline)
        case .passphrase(let ask):
            // Do not prompt the user in vain.
            guard slots.acceptsPassphrase else { throw StorageError(.unsupportedKDF) }
            let purpose: PassphraseRequest.Purpose = newestKeys != nil ? .reopen : .open
            guard let secret = try passphrase(for: purpose, ask: ask) else {
                throw StorageError(.keyMissing, detail: "no passphrase was given")
            }
            return try open(slots, with: secret, path: nil)
        }
    }

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

    /// The secret of an existing slot, for a change of keys that keeps the slot. May prompt the user.
    ///
    /// - Returns: nil if the secret is not available, and for a key file, which is found by comparing all files with all
    ///   slots.
    package func secretToKeep(
        _ slot: KeySlot,
        of slots: KeySlots,
        _ materials: [KeyMaterial],
        until deadline: Deadline
    ) throws(StorageError) -> SlotSecret? {
        switch slot.kind {
        case .keyring: try keyringSecretToKeep(slot, of: slots, until: deadline)
        case .passphrase: try passphraseToKeep(slot, of: slots, materials)
        case .keyFile, nil: nil
        }
    }

    /// The slot that replaces those of a kind in a change of keys. It has a new secret, so that the old secret does not
    /// open it. May prompt the user.
    ///
    /// - Returns: nil for a kind whose secrets the caller provides, because those stay, and for key files, because the
    ///   change of keys itself replaces the group's own one.
    package func makeReplacement(
        of kind: SlotKind,
        in group: GroupUUID,
        until deadline: Deadline
    ) throws(StorageError) -> NewSlot? {
        switch kind {
        case .keyring: try makeKeyringSlot(nil, group, until: deadline)
        case .keyFile, .passphrase: nil
        }
    }

    /// Removes the secrets that the library created for slots of a kind, except files.
    package func removeSecrets(of kind: SlotKind, _ ids: [SlotID], until deadline: Deadline) throws(StorageError) {
        switch kind {
        case .keyring: try removeKeyringItems(of: ids, until: deadline)
        case .keyFile, .passphrase: break
        }
    }

    /// Creates the library's own secrets for a group that is being migrated to the file: its key file, its keyring
    /// item.
    package func makeOwn(for keys: GroupKeys, until deadline: Deadline) throws(StorageError) -> [NewSlot] {
        try makeOwn(keys.uuid, resuming: false, until: deadline) { () throws(StorageError) in
            try ownKeyFiles.first(of: keys.uuid, epoch: keys.epoch).readOrCreate()
        }
    }

    /// The same for a new group. With `resuming`, another process already began to create it, so an existing key file or
    /// item is used.
    func makeOwnOfNewGroup(
        _ group: GroupUUID,
        resuming: Bool,
        until deadline: Deadline
    ) throws(StorageError) -> [NewSlot] {
        try makeOwn(group, resuming: resuming, until: deadline) { () throws(StorageError) in
            try readOrCreateOwnKeyFile(of: group, resuming: resuming)
        }
    }

    /// Removes the secrets with which other processes began to create this group. The caller holds the lock for keys.
    func removeSecretsOfOtherCreators(_ slots: KeySlots, until deadline: Deadline) throws(StorageError) {
        for material in creation {
            switch material {
            case .keyring(let collection): try removeOtherKeyringItems(slots, in: collection, until: deadline)
            // All creators use one key file. Named key files and passphrases belong to the caller.
            case .ownKeyFile, .keyFile, .passphrase: break
            }
        }
    }

    private func makeOwn(
        _ group: GroupUUID,
        resuming: Bool,
        until deadline: Deadline,
        _ keyFile: () throws(StorageError) -> SlotSecret
    ) throws(StorageError) -> [NewSlot] {
        var own: NewSlot?
        var slots: [NewSlot] = []
        for material in creation {
            switch material {
            case .ownKeyFile: own = NewSlot(try keyFile())
            case .keyring(let collection):
                let existing = resuming ? try existingKeyringSlot(collection, group, until: deadline) : nil
                if let existing {
                    slots.append(existing)
                } else {
                    slots.append(try makeKeyringSlot(collection, group, until: deadline))
                }
            // These belong to the caller.
            case .keyFile, .passphrase: break
            }
        }
        return [own].compactMap(\.self) + slots
    }
}

/// Where the library keeps the secrets that it creates for key slots: always outside the folder of the group, so that a
/// copy of the folder alone cannot be opened.
package enum SecretPlace: CaseIterable, Sendable {
    /// The folder of the library's key files.
    case keyFiles
    /// The user's keyring.
    case keyring

    /// Whether a secret there can turn out to be damaged. Another way may open the group nevertheless.
    var canBeDamaged: Bool {
        switch self {
        // Any content of a valid length is a key.
        case .keyFiles: false
        case .keyring: true
        }
    }
}

extension SlotKind {
    /// Where the library keeps the secrets that it creates for slots of this kind; nil if it creates none.
    package var secretPlace: SecretPlace? {
        switch self {
        case .keyFile: .keyFiles
        case .keyring: .keyring
        case .passphrase: nil
        }
    }
}

extension ExternalSecrets {
    /// The secrets of the group in one place.
    func secrets(in place: SecretPlace) throws(StorageError) -> [ExternalSecret] {
        switch place {
        case .keyFiles:
            try ownKeyFiles.all(of: group).map { file in
                ExternalSecret(
                    place,
                    path: file.path,
                    isErased: file.isErased(),
                    epoch: ownKeyFiles.epoch(of: file, of: group)
                ) { (_) throws(StorageError) in try file.remove() }
            }
        case .keyring:
            [
                ExternalSecret(place) { (deadline) throws(StorageError) in
                    try keyringAccess.withSlots(collection) { items throws(StorageError) in
                        try items.removeAll(of: group, until: deadline)
                    }
                }
            ]
        }
    }
}

/// A key slot to add to a group. Its secret may have been created for it.
package struct MadeSlot {
    package let slot: NewSlot
    private let removal: ((Deadline) throws(StorageError) -> Void)?

    /// - Parameters:
    ///   - slot: the slot.
    ///   - removal: removes the secret; nil if it belongs to the caller.
    fileprivate init(_ slot: NewSlot, removal: ((Deadline) throws(StorageError) -> Void)?) {
        self.slot = slot
        self.removal = removal
    }

    /// Removes the secret that was created for the slot, if any. For a slot that did not take effect.
    package func discard(until deadline: Deadline) { try? removal?(deadline) }
}

extension KeyUnlocker {
    /// Creates the secret for one more slot of a group. May prompt the user.
    ///
    /// - Parameters:
    ///   - material: the secret that will open it.
    ///   - slots: the existing slots.
    ///   - time: for the keyring; restarts if the user was prompted.
    /// - Returns: the slot.
    /// - Throws: ``StorageError/Code/exists`` if there can be only one slot of its kind and there already is one, and
    ///   errors of files and of the keyring.
    package func makeSlot(
        for material: KeyMaterial,
        besides slots: KeySlots,
        within time: WaitingTime
    ) throws(StorageError) -> MadeSlot {
        switch material {
        case .ownKeyFile:
            let file = ownKeyFiles.next(of: slots.uuid, epoch: slots.epoch)
            return MadeSlot(NewSlot(try file.create())) { (_) throws(StorageError) in try file.remove() }
        case .keyFile(let file):
            let secret: SlotSecret
            do throws(StorageError) {
                secret = try file.readOrCreate()
            } catch {
                // This code would say that no key opens the group, which is open.
                guard error.code == .keyMissing else { throw error }
                throw StorageError(.notFound, path: file.path, detail: "the new slot needs this file")
            }
            for slot in slots.slots where slot.kind == .keyFile {
                // If two slots had one secret, removing one of them would not stop it from opening the group.
                guard try !slots.opens(slot, with: secret) else {
                    throw StorageError(
                        .invalidRequest,
                        path: file.path,
                        detail: "this key file already opens the group"
                    )
                }
            }
            return MadeSlot(NewSlot(secret), removal: nil)
        case .keyring(let collection):
            guard !slots.slots.contains(where: { $0.kind == .keyring }) else {
                throw StorageError(
                    .exists,
                    detail: "the group already has a key slot for the keyring",
                    advice: "That slot opens the group; to replace it, remove it first"
                )
            }
            let slot = try restarting(time) { () throws(StorageError) in
                try makeKeyringSlot(collection, slots.uuid, until: time.deadline)
            }
            return MadeSlot(slot) { [self] (deadline) throws(StorageError) in
                try removeKeyringItems(of: [slot.id].compactMap(\.self), in: collection, until: deadline)
            }
        case .passphrase(let ask):
            let given = try restarting(time) { () throws(StorageError) in try passphrase(for: .addSlot, ask: ask) }
            guard let given else { throw StorageError(.keyMissing, detail: "no passphrase was given") }
            return MadeSlot(NewSlot(given, parameters: passphraseCost), removal: nil)
        }
    }
}
