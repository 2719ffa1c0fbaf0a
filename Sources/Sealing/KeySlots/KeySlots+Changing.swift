// SPDX-License-Identifier: Apache-2.0

extension KeySlots {
    /// Creates the block of a new group, or one with a new set of slots.
    ///
    /// - Parameters:
    ///   - keys: the keys to seal.
    ///   - slots: one to eight slots, at most one of them for a passphrase. Stretching the passphrase takes the time
    ///     set by its parameters.
    ///   - random: the source of ids, salts and nonces.
    /// - Returns: the block.
    /// - Throws: ``SealingError/Code/lastSlot`` for no slot, ``SealingError/Code/tooManySlots``,
    ///   ``SealingError/Code/passphraseSlotExists``, ``SealingError/Code/unsupportedKDF``,
    ///   ``SealingError/Code/outOfMemory``, ``SealingError/Code/forkedProcess``.
    package static func create(
        for keys: GroupKeys,
        slots: [NewSlot],
        random: RandomSource = .system
    ) throws(SealingError) -> KeySlots {
        try KeySlots(
            keys: keys,
            slots: make(slots, for: keys, random: random),
            tagKeyBox: sealTagKey(of: keys, random: random)
        )
    }

    /// Returns this block with one more slot.
    ///
    /// - Parameters:
    ///   - slot: the slot to create.
    ///   - keys: the keys of this block.
    ///   - random: the source of the id, salt and nonce.
    /// - Returns: the new block, otherwise unchanged.
    /// - Throws: ``SealingError/Code/foreignKeys``, ``SealingError/Code/authenticationFailed``, and the errors of
    ///   ``create(for:slots:random:)``.
    package func adding(
        _ slot: NewSlot,
        keys: GroupKeys,
        random: RandomSource = .system
    ) throws(SealingError) -> KeySlots {
        try verify(with: keys)
        // Check first, because stretching a passphrase takes half a second.
        guard slots.count < Self.maximumSlotCount else { throw SealingError(.tooManySlots) }
        guard !(slots.compactMap(\.kind) + [slot.secret.kind]).hasTooManyOfOneKind else {
            throw SealingError(.passphraseSlotExists)
        }
        return try replacing(slots: slots + Self.make([slot], for: keys, random: random), keys: keys)
    }

    /// Returns a block for a later epoch of the same group, with new slots. Preserves fields of newer versions.
    ///
    /// - Parameters:
    ///   - old: the keys of this block.
    ///   - new: the keys of a later epoch.
    ///   - slots: the slots of the new block, replacing those of this one.
    ///   - random: the source of ids, salts and nonces.
    /// - Returns: the new block.
    /// - Throws: ``SealingError/Code/foreignKeys`` if `old` does not belong to this block or `new` is not a later epoch
    ///   of the same group, ``SealingError/Code/authenticationFailed``, and the errors of
    ///   ``create(for:slots:random:)``.
    package func rekeyed(
        from old: GroupKeys,
        to new: GroupKeys,
        slots: [NewSlot],
        random: RandomSource = .system
    ) throws(SealingError) -> KeySlots {
        try verify(with: old)
        guard new.uuid == uuid, new.epoch > epoch, new.tagKey.isEqual(to: old.tagKey) else {
            throw SealingError(.foreignKeys)
        }
        return try KeySlots(
            keys: new,
            slots: Self.make(slots, for: new, random: random),
            tagKeyBox: Self.sealTagKey(of: new, random: random),
            fields: fields,
            minorVersion: minorVersion
        )
    }

    private func replacing(slots: [KeySlot], keys: GroupKeys) throws(SealingError) -> KeySlots {
        try KeySlots(keys: keys, slots: slots, tagKeyBox: tagKeyBox, fields: fields, minorVersion: minorVersion)
    }

    private static func make(
        _ newSlots: [NewSlot],
        for keys: GroupKeys,
        random: RandomSource
    ) throws(SealingError) -> [KeySlot] {
        guard !newSlots.map(\.secret.kind).hasTooManyOfOneKind else { throw SealingError(.passphraseSlotExists) }
        guard newSlots.count <= maximumSlotCount else { throw SealingError(.tooManySlots) }
        var slots: [KeySlot] = []
        for slot in newSlots { slots.append(try KeySlot(slot, sealing: keys, random: random)) }
        return slots
    }

    private static func sealTagKey(of keys: GroupKeys, random: RandomSource) throws(SealingError) -> [UInt8] {
        let associatedData = SlotWrapping.associatedData(Label.tagKeyWrap, group: keys.uuid, epoch: keys.epoch)
        return try keys.tagKey.sealed(
            under: keys.subkey(.tagKeyWrap),
            authenticating: associatedData,
            random: random
        )
    }
}
