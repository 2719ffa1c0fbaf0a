// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension KeySlots {
    /// Opens the block with a secret, by trying every slot of the secret's kind.
    ///
    /// For a passphrase this takes the time and memory set in its slot, by default about half a second and 256 MiB.
    ///
    /// - Throws: ``SealingError/Code/keyRejected`` if the secret opens no slot, ``SealingError/Code/unsupportedKDF`` if
    ///   the cost of a passphrase slot is out of bounds, ``SealingError/Code/authenticationFailed`` if a slot opens but
    ///   the rest of the block is damaged or forged, ``SealingError/Code/outOfMemory``,
    ///   ``SealingError/Code/forkedProcess``.
    package func unlock(with secret: SlotSecret) throws(SealingError) -> GroupKeys {
        var reason = SealingError(.keyRejected)
        for slot in slots where slot.kind == secret.kind {
            do {
                if let keys = try keys(in: slot, with: secret) { return keys }
            } catch {
                // Try the remaining slots, one of which may still open.
                guard error.code == .unsupportedKDF else { throw error }
                reason = error
            }
        }
        throw reason
    }

    /// Opens the block with a particular slot.
    ///
    /// - Throws: ``SealingError/Code/slotNotFound``, and the errors of ``unlock(with:)``.
    package func unlock(slot id: SlotID, with secret: SlotSecret) throws(SealingError) -> GroupKeys {
        guard let slot = slots.first(where: { $0.id == id }) else { throw SealingError(.slotNotFound) }
        guard slot.kind == secret.kind, let keys = try keys(in: slot, with: secret) else {
            throw SealingError(.keyRejected)
        }
        return keys
    }

    /// Whether the block has a passphrase slot with an acceptable cost.
    package var acceptsPassphrase: Bool {
        slots.contains { $0.kind == .passphrase && $0.hasExpectedKDF && $0.parameters?.isAcceptable == true }
    }

    /// The verified keys, or `nil` if `secret` does not open `slot`.
    private func keys(in slot: KeySlot, with secret: SlotSecret) throws(SealingError) -> GroupKeys? {
        guard slot.hasExpectedKDF else { throw SealingError(.unsupportedKDF) }
        let stretched = try secret.stretched(slot.parameters, salt: slot.salt)
        let wrapping = try SlotWrapping(stretched, slot: slot, group: uuid, epoch: epoch)
        guard let rootKey = try wrapping.open(slot) else { return nil }
        let tagKey = try SealingKey(
            AEAD.open(
                tagKeyBox.rawSpan,
                key: rootKey.derive(.tagKeyWrap),
                authenticating: SlotWrapping.associatedData(Label.tagKeyWrap, group: uuid, epoch: epoch).rawSpan
            )
        )
        let keys = GroupKeys(uuid: uuid, epoch: epoch, rootKey: rootKey, tagKey: tagKey)
        try verify(with: keys)
        return keys
    }
}
