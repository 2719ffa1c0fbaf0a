// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension KeySlots {
    /// Parses a block and checks its structure, without authenticating it.
    ///
    /// - Throws: ``SealingError/Code/malformed``, ``SealingError/Code/unsupportedVersion`` for a newer major version,
    ///   another cipher suite, or an unknown critical field.
    package init(encoded: [UInt8]) throws(SealingError) {
        guard encoded.count <= Self.maximumByteCount else { throw SealingError(.malformed) }
        var head = ByteReader(encoded)
        guard try head.read(8) == [UInt8](label: Self.magic) else { throw SealingError(.malformed) }
        guard try head.readUInt8() == Self.majorVersion else { throw SealingError(.unsupportedVersion) }
        minorVersion = try head.readUInt8()
        guard try head.readUInt8() == RecordAssociatedData.suite else { throw SealingError(.unsupportedVersion) }
        let slotCount = try head.readUInt8()
        epoch = try head.readUInt32()
        guard let uuid = GroupUUID(bytes: try head.read(16)) else { throw SealingError(.malformed) }
        self.uuid = uuid
        let byteCount = try head.readUInt16()
        let reserved = try head.read(6)
        guard byteCount == encoded.count, reserved.allSatisfy({ $0 == 0 }), epoch > 0 else {
            throw SealingError(.malformed)
        }
        guard (1...Self.maximumSlotCount).contains(Int(slotCount)), head.remaining >= Self.macByteCount else {
            throw SealingError(.malformed)
        }

        var body = ByteReader(try head.read(head.remaining - Self.macByteCount))
        tagKeyBox = try body.read(SealingKey.byteCount + AEAD.overhead)
        var slots: [KeySlot] = []
        for _ in 0..<slotCount { slots.append(try KeySlot(from: &body)) }
        var fields: [SlotField] = []
        while body.remaining > 0 { fields.append(try SlotField(from: &body)) }
        let areDifferent = slots.count == 1 || Set(slots.map(\.id)).count == slots.count
        guard areDifferent, !slots.compactMap(\.kind).hasTooManyOfOneKind else { throw SealingError(.malformed) }
        self.slots = slots
        self.fields = fields
        self.encoded = encoded
    }

    /// Assembles and authenticates a block.
    init(
        keys: GroupKeys,
        slots: [KeySlot],
        tagKeyBox: [UInt8],
        fields: [SlotField] = [],
        minorVersion: UInt8 = 0
    ) throws(SealingError) {
        guard !slots.isEmpty else { throw SealingError(.lastSlot) }
        guard slots.count <= Self.maximumSlotCount else { throw SealingError(.tooManySlots) }
        guard !slots.compactMap(\.kind).hasTooManyOfOneKind else { throw SealingError(.passphraseSlotExists) }
        let body = tagKeyBox + slots.flatMap(\.encoded) + fields.flatMap(\.encoded)
        let byteCount = Self.headByteCount + body.count + Self.macByteCount
        guard byteCount <= Self.maximumByteCount else { throw SealingError(.tooManySlots) }

        var bytes: [UInt8] = []
        bytes.append(Self.magic)
        bytes += [Self.majorVersion, minorVersion, RecordAssociatedData.suite, UInt8(slots.count)]
        bytes.append(littleEndian: keys.epoch)
        bytes += keys.uuid.bytes
        bytes.append(littleEndian: UInt16(byteCount))
        bytes += [UInt8](repeating: 0, count: 6)
        bytes += body
        bytes += try Self.authenticator(of: bytes, keys: keys).bytes

        uuid = keys.uuid
        epoch = keys.epoch
        self.slots = slots
        self.tagKeyBox = tagKeyBox
        self.fields = fields
        self.minorVersion = minorVersion
        encoded = bytes
    }

    private static func authenticator(of bytes: [UInt8], keys: GroupKeys) throws(SealingError) -> Digest {
        var hash = try KeyedHash(key: keys.subkey(.slotBlock))
        hash.update([UInt8](label: Label.slotBlock).rawSpan)
        hash.update(bytes.rawSpan)
        return try hash.finalize()
    }

    /// Verifies that a holder of these keys wrote exactly this block.
    ///
    /// - Throws: ``SealingError/Code/foreignKeys`` for keys of another group or epoch,
    ///   ``SealingError/Code/authenticationFailed``, ``SealingError/Code/forkedProcess``.
    package func verify(with keys: GroupKeys) throws(SealingError) {
        guard keys.uuid == uuid, keys.epoch == epoch else { throw SealingError(.foreignKeys) }
        let end = encoded.count - Self.macByteCount
        let expected = try Self.authenticator(of: Array(encoded[..<end]), keys: keys)
        guard Digest(Array(encoded[end...]).rawSpan) == expected else { throw SealingError(.authenticationFailed) }
    }
}

extension KeySlots: CustomStringConvertible {
    /// The group, the epoch and the number of slots.
    package var description: String { "KeySlots(\(uuid), epoch \(epoch), \(slots.count) slots)" }
}
