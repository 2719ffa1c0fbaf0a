// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory
package import RecordStorage
package import Sealing

/// The keyring items that open key slots of one group's encrypted file. Thread-safe. Loads no library and calls no
/// service before its first method call.
package final class KeyringSlots: Sendable {
    let items: KeyringItems

    /// - Parameters:
    ///   - name: the group.
    ///   - location: the keyring.
    /// - Throws: ``StorageError/Code/system`` if memory for keys is exhausted, ``StorageError/Code/forkedProcess``.
    package init(_ name: GroupName, _ location: SecretServiceLocation) throws(StorageError) {
        items = try KeyringItems(SecretServiceClient(location), name)
    }

    /// Creates the item of a new slot and reads it back.
    ///
    /// - Returns: the secret that opens the slot.
    /// - Throws: errors of the keyring; ``StorageError/Code/keyringItemMissing`` if the keyring did not keep the item.
    package func create(
        _ slot: SlotID,
        of group: GroupUUID,
        until deadline: Deadline,
        prompts: PromptPolicy
    ) throws(StorageError) -> SlotSecret {
        try items.run(until: deadline, prompts: prompts) { calls throws(SecretServiceError) in try calls.unlock() }
        var triesLeft = 3
        while true {
            triesLeft -= 1
            do throws(StorageError) {
                try make(slot, of: group, until: deadline)
                return try secret(of: slot, group, until: deadline, prompts: .never)
            } catch {
                // Retry in another session, because this one may not transfer secrets intact.
                guard [.damaged, .keyringRefused].contains(error.code), triesLeft > 0 else { throw error }
                items.client.disconnect()
                try remove(slot, until: deadline)
            }
        }
    }

    private func make(_ slot: SlotID, of group: GroupUUID, until deadline: Deadline) throws(StorageError) {
        let text = try sealing(try SlotItem.text(SecretBytes.random(byteCount: 32), slot: slot, group: group))
        let attributes = attributes(slot)
        _ = try items.run(until: deadline) { calls throws(SecretServiceError) in
            try calls.create(attributes, label: KeyringAttributes.label, text)
        }
    }

    /// The secret that opens a slot. Searches all collections, because the folder's choice of collection is not
    /// authenticated yet.
    ///
    /// - Throws: ``StorageError/Code/keyringItemMissing`` if the keyring has no such item,
    ///   ``StorageError/Code/damaged`` if the item is invalid, ``StorageError/Code/keyringLocked`` and other errors of
    ///   the keyring.
    package func secret(
        of slot: SlotID,
        _ group: GroupUUID,
        until deadline: Deadline,
        prompts: PromptPolicy
    ) throws(StorageError) -> SlotSecret {
        let attributes = attributes(slot)
        let found = try items.run(until: deadline, prompts: prompts) { calls throws(SecretServiceError) in
            try calls.unlock()
            var found = try calls.search(attributes)
            if found.isEmpty {
                found = try calls.searchAllCollections(attributes).map { item throws(SecretServiceError) in
                    try calls.unlocked(item)
                }
            }
            if found.isEmpty { throw SecretServiceError(.itemMissing) }
            let secrets = try calls.secrets(of: found) { SlotItem.read($0, slot: slot, group: group) }
            return secrets.values.compactMap { (try? $0.get()) ?? nil }
        }
        guard let secret = found.first else {
            throw StorageError(.damaged, detail: "the key item of the group in the keyring is damaged")
        }
        return secret
    }

    /// The slot and secret of an existing item of this group; `nil` if it has none. If it has several, the choice is
    /// the same for all callers.
    ///
    /// - Throws: errors of the keyring.
    package func existing(
        of group: GroupUUID,
        until deadline: Deadline,
        prompts: PromptPolicy
    ) throws(StorageError) -> (slot: SlotID, secret: SlotSecret)? {
        let attributes = items.attributes.some(.slot)
        let found = try items.run(until: deadline, prompts: prompts) { calls throws(SecretServiceError) in
            try calls.unlock()
            let slots = try calls.search(attributes)
            let contents = try calls.secrets(of: slots) { text -> (slot: SlotID, secret: SlotSecret)? in
                guard let slot = SlotItem.slot(of: text), let secret = SlotItem.read(text, slot: slot, group: group)
                else { return nil }
                return (slot, secret)
            }
            return contents.values.compactMap { (try? $0.get()) ?? nil }
        }
        return found.min { $0.slot.description < $1.slot.description }
    }

    /// Removes the group's items for all slots except `kept`, but not those of another group of this name.
    package func removeAll(of group: GroupUUID, but kept: Set<SlotID>, until deadline: Deadline) throws(StorageError) {
        let attributes = items.attributes.some(.slot)
        try items.run(until: deadline) { calls throws(SecretServiceError) in
            let found = try calls.search(attributes)
            // Usually the only item is one to keep.
            if found.count <= kept.count { return }
            let owners = try calls.secrets(of: found) { (group: SlotItem.group(of: $0), slot: SlotItem.slot(of: $0)) }
            for item in found {
                guard let owner = try? owners[item.path]?.get(), owner.group == group, let slot = owner.slot,
                    !kept.contains(slot)
                else { continue }
                try calls.delete(item)
            }
        }
    }

    /// Removes the item of a slot, if it exists.
    package func remove(_ slot: SlotID, until deadline: Deadline) throws(StorageError) {
        let attributes = attributes(slot)
        try items.run(until: deadline) { calls throws(SecretServiceError) in
            for item in try calls.search(attributes) { try calls.delete(item) }
        }
    }

    /// Removes the group's anchor and its items for all slots, past ones included, but not those of another group of
    /// this name.
    package func removeAll(of group: GroupUUID, until deadline: Deadline) throws(StorageError) {
        let attributes = items.attributes.some(.slot)
        try items.run(until: deadline) { calls throws(SecretServiceError) in
            let found = try calls.search(attributes)
            let groups = try calls.secrets(of: found) { SlotItem.group(of: $0) }
            for item in found where (try? groups[item.path]?.get()) == group { try calls.delete(item) }
        }
        try removeAnchor(of: group, until: deadline)
    }

    /// Closes the connection.
    package func close() { items.client.close() }

    private func attributes(_ slot: SlotID) -> [(key: String, value: String)] {
        items.attributes.all(.slot, tag: slot.description)
    }
}
