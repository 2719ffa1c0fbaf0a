// SPDX-License-Identifier: Apache-2.0

// SAFETY: the key outlives the call that reads it.

internal import ByteOperations

/// Seals the root key into a slot and opens it again.
///
/// The cipher alone is not key-committing: an attacker could craft one box that opens under many keys. So half of the
/// derived bytes are the key of a hash over the box, which is compared before decrypting.
struct SlotWrapping: ~Copyable {
    private let boxKey: SealingKey
    private let commitmentKey: SealingKey
    private let associatedData: [UInt8]

    /// - Parameters:
    ///   - secret: the result of ``SlotSecret/stretched(_:salt:)``.
    ///   - slot: the slot whose header is authenticated.
    ///   - group: the group.
    ///   - epoch: the epoch of the root key.
    /// - Throws: ``SealingError/Code/forkedProcess``, ``SealingError/Code/outOfMemory``.
    init(
        _ secret: borrowing SealingKey,
        slot: KeySlot,
        group: GroupUUID,
        epoch: UInt32
    ) throws(SealingError) {
        var hash = unsafe try SecretHash(key: secret.checkedBase(), byteCount: 64)
        hash.update(Label.slotKEK)
        hash.update(group.bytes)
        hash.update(slot.header)
        let keyEncryptionKey = try hash.finalize()
        let boxKey = try SealingKey(SecretBytes(copying: keyEncryptionKey.bytes.extracting(first: 32)))
        let commitmentKey = try SealingKey(SecretBytes(copying: keyEncryptionKey.bytes.extracting(last: 32)))
        self.boxKey = boxKey
        self.commitmentKey = commitmentKey
        associatedData = Self.associatedData(Label.slotWrap, group: group, epoch: epoch) + slot.header
    }

    /// Label, suite, three zero bytes, epoch, group.
    static func associatedData(_ label: StaticString, group: GroupUUID, epoch: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(label)
        bytes += [RecordAssociatedData.suite, 0, 0, 0]
        bytes.append(littleEndian: epoch)
        return bytes + group.bytes
    }

    func seal(_ rootKey: borrowing SealingKey, random: RandomSource) throws(SealingError) -> [UInt8] {
        try rootKey.sealed(under: boxKey, authenticating: associatedData, random: random)
    }

    func commitment(to box: [UInt8]) throws(SealingError) -> Digest {
        var hash = try KeyedHash(key: commitmentKey)
        hash.update([UInt8](label: Label.slotCommitment).rawSpan)
        hash.update(box.rawSpan)
        hash.update(associatedData.rawSpan)
        return try hash.finalize()
    }

    /// The root key in `slot`, or `nil`, without decrypting, if the secret does not open this slot.
    ///
    /// - Throws: ``SealingError/Code/authenticationFailed`` if the commitment matches but the box does not verify.
    func open(_ slot: KeySlot) throws(SealingError) -> SealingKey? {
        guard let written = Digest(slot.commitment.rawSpan), try commitment(to: slot.box) == written else { return nil }
        return try SealingKey(AEAD.open(slot.box.rawSpan, key: boxKey, authenticating: associatedData.rawSpan))
    }
}
