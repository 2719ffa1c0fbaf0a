// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import Sealing
internal import SecretServiceStorage

extension KeyUnlocker {
    /// Removes the group's keyring items of all slots except these.
    func removeOtherKeyringItems(
        _ slots: KeySlots,
        in collection: String?,
        until deadline: Deadline
    ) throws(StorageError) {
        let kept = Set(slots.slots.filter { $0.kind?.secretPlace == .keyring }.map(\.id))
        try keyringAccess.withSlots(collection ?? self.collection) { items throws(StorageError) in
            try items.removeAll(of: slots.uuid, but: kept, until: deadline)
        }
    }

    /// The keyring's secret for a slot.
    package func keyringSecret(
        of slot: SlotID,
        _ group: GroupUUID,
        in named: String? = nil,
        until deadline: Deadline
    ) throws(StorageError) -> SlotSecret {
        if keyringAccess.policy == .allowed { noteQuestion() }
        return try reading(named) { items throws(StorageError) in
            try items.secret(of: slot, group, until: keyringAccess.end(deadline), prompts: keyringAccess.policy)
        }
    }

    /// The keyring's secret for a slot; nil if the keyring has none that opens it.
    ///
    /// - Throws: errors of a keyring that exists but cannot be queried now, so that nothing is known about the slot.
    func keyringSecretToKeep(
        _ slot: KeySlot,
        of slots: KeySlots,
        until deadline: Deadline
    ) throws(StorageError) -> SlotSecret? {
        do throws(StorageError) {
            let secret = try keyringSecret(of: slot.id, slots.uuid, until: deadline)
            return try slots.opens(slot, with: secret) ? secret : nil
        } catch {
            switch error.code {
            case .keyringMissing, .keyringItemMissing, .damaged: return nil
            default: throw error
            }
        }
    }

    /// The slot of an existing item, with which another process began to create the group; `nil` if there is none.
    func existingKeyringSlot(
        _ collection: String?,
        _ group: GroupUUID,
        until deadline: Deadline
    ) throws(StorageError) -> NewSlot? {
        let found = try writing(collection) { items throws(StorageError) in
            try items.existing(of: group, until: keyringAccess.end(deadline), prompts: keyringAccess.policy)
        }
        return found.map { NewSlot($0.secret, id: $0.slot) }
    }

    /// Creates an item in the keyring, and its slot.
    package func makeKeyringSlot(
        _ collection: String?,
        _ group: GroupUUID,
        until deadline: Deadline
    ) throws(StorageError) -> NewSlot {
        let id = SlotID()
        let secret = try writing(collection) { items throws(StorageError) in
            try items.create(id, of: group, until: keyringAccess.end(deadline), prompts: keyringAccess.policy)
        }
        return NewSlot(secret, id: id)
    }

    /// Runs `body` with the items of a group that is being created, in a keyring that may prompt the user.
    private func writing<Result>(
        _ named: String?,
        _ body: (KeyringSlots) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        if keyringAccess.policy == .allowed { noteQuestion() }
        return try keyringAccess.withSlots(named ?? collection, body)
    }

    /// Runs `body` with the items of the group in the collection that the caller names.
    func reading<Result>(
        _ named: String?,
        _ body: (KeyringSlots) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try keyringAccess.withSlots(named ?? collection, body)
    }

    /// Removes the keyring items of slots that are not, or no longer, in use.
    package func removeKeyringItems(
        of slots: [SlotID],
        in named: String? = nil,
        until deadline: Deadline
    ) throws(StorageError) {
        if slots.isEmpty { return }
        var collections: Set<String?> = [named ?? collection]
        for case .keyring(let collection?) in materials + creation { collections.insert(collection) }
        for collection in collections {
            try keyringAccess.withSlots(collection) { items throws(StorageError) in
                for slot in slots { try items.remove(slot, until: deadline) }
            }
        }
    }
}
