extension KeySlot {
    /// Seals the root key under the secret of a new slot.
    init(_ new: NewSlot, sealing keys: GroupKeys, random: RandomSource) throws(SealingError) {
        let kind = new.secret.kind
        let isPassphrase = kind == .passphrase
        let slot = KeySlot(
            id: new.id ?? SlotID(random: random),
            kind: kind,
            parameters: isPassphrase ? new.parameters : nil,
            salt: isPassphrase
                ? random.bytes(Sodium.saltByteCount) : [UInt8](repeating: 0, count: Sodium.saltByteCount)
        )
        let stretched = try new.secret.stretched(slot.parameters, salt: slot.salt)
        let wrapping = try SlotWrapping(stretched, slot: slot, group: keys.uuid, epoch: keys.epoch)
        let box = try wrapping.seal(keys.rootKey, random: random)
        self.init(
            id: slot.id,
            kind: kind,
            parameters: slot.parameters,
            salt: slot.salt,
            commitment: try wrapping.commitment(to: box).bytes,
            box: box
        )
    }
}
