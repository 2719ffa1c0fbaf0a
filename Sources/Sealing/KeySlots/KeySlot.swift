// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// A key slot as stored: its id, the kind of secret that opens it, and the root key sealed under that secret. It
/// contains no plaintext secret.
package struct KeySlot: Hashable, Sendable {
    static let commitmentByteCount = 32
    static let boxByteCount = SealingKey.byteCount + AEAD.overhead
    /// The size of the shortest possible slot of any kind: length, kind, KDF, id.
    static let smallestByteCount = 20

    /// The id of the slot.
    package let id: SlotID
    /// The raw value of its kind.
    package let kindNumber: UInt8
    /// Its kind; `nil` if a newer version defined it.
    package var kind: SlotKind? { SlotKind(rawValue: kindNumber) }
    /// The stored cost of a passphrase; `nil` for other kinds. It may be outside the accepted bounds.
    package let parameters: KDFParameters?

    let kdfNumber: UInt8
    let salt: [UInt8]
    let commitment: [UInt8]
    let box: [UInt8]
    /// The trailing fields of a newer version or, for an unknown kind, all bytes after the id. Preserved unchanged.
    let trailing: [UInt8]

    init(
        id: SlotID,
        kind: SlotKind,
        parameters: KDFParameters?,
        salt: [UInt8],
        commitment: [UInt8] = [],
        box: [UInt8] = []
    ) {
        self.id = id
        kindNumber = kind.rawValue
        self.parameters = parameters
        kdfNumber = parameters == nil ? 0 : Self.argon2id
        self.salt = salt
        self.commitment = commitment
        self.box = box
        trailing = []
    }

    static let argon2id: UInt8 = 1

    /// Whether the slot uses the KDF that its kind requires.
    var hasExpectedKDF: Bool { kdfNumber == (kind?.isStretched == true ? Self.argon2id : 0) }

    /// Kind, KDF, id, passes, memory, salt.
    var header: [UInt8] {
        var bytes = [kindNumber, kdfNumber] + id.bytes
        bytes.append(littleEndian: parameters?.opsLimit ?? 0)
        bytes.append(littleEndian: parameters?.memoryKiB ?? 0)
        bytes += salt
        return bytes
    }

    /// The encoded slot, preceded by its length.
    var encoded: [UInt8] {
        let start = kind == nil ? [kindNumber, kdfNumber] + id.bytes : header + commitment + box
        let content = start + trailing
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt16(content.count + 2))
        return bytes + content
    }

    /// Reads a slot.
    init(from reader: inout ByteReader) throws(SealingError) {
        let byteCount = Int(try reader.readUInt16())
        guard byteCount >= Self.smallestByteCount else { throw SealingError(.malformed) }
        var content = ByteReader(try reader.read(byteCount - 2))
        kindNumber = try content.readUInt8()
        kdfNumber = try content.readUInt8()
        guard let id = SlotID(bytes: try content.read(SlotID.byteCount)) else { throw SealingError(.malformed) }
        self.id = id
        guard SlotKind(rawValue: kindNumber) != nil else {
            parameters = nil
            (salt, commitment, box) = ([], [], [])
            trailing = content.readRest()
            return
        }
        let written = KDFParameters(opsLimit: try content.readUInt32(), memoryKiB: try content.readUInt32())
        salt = try content.read(Sodium.saltByteCount)
        commitment = try content.read(Self.commitmentByteCount)
        box = try content.read(Self.boxByteCount)
        trailing = content.readRest()
        parameters = kdfNumber == 0 ? nil : written
        let hasNoCost = written.opsLimit == 0 && written.memoryKiB == 0 && salt.allSatisfy { $0 == 0 }
        guard kdfNumber != 0 || hasNoCost else { throw SealingError(.malformed) }
    }
}

extension KeySlot: CustomStringConvertible {
    /// The kind and the id.
    package var description: String {
        "KeySlot(\(kind.map { "\($0)" } ?? "kind \(kindNumber)"), \(id))"
    }
}

/// A key slot to create.
package struct NewSlot: Sendable {
    /// The secret that will open the slot.
    package let secret: SlotSecret
    /// The cost of a passphrase; ignored for the other kinds.
    package let parameters: KDFParameters
    /// The id, if the caller needs to know it in advance; `nil` for a random one.
    package let id: SlotID?

    package init(_ secret: SlotSecret, parameters: KDFParameters = .standard, id: SlotID? = nil) {
        self.secret = secret
        self.parameters = parameters
        self.id = id
    }
}

extension KeySlot {
    /// Seals the root key under the secret of a new slot.
    init(_ new: NewSlot, sealing keys: GroupKeys, random: RandomSource) throws(SealingError) {
        let kind = new.secret.kind
        let slot = KeySlot(
            id: new.id ?? SlotID(random: random),
            kind: kind,
            parameters: kind.isStretched ? new.parameters : nil,
            salt: kind.isStretched
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
