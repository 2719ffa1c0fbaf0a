internal import ByteOperations

/// One key slot as it is written: who it is, what opens it, and the root key sealed under that. Nothing in it is secret.
package struct KeySlot: Hashable, Sendable {
    /// Number of bytes from the kind to the salt: what the sealed root key is bound to.
    static let headerByteCount = 42
    static let commitmentByteCount = 32
    static let boxByteCount = SealingKey.byteCount + AEAD.overhead
    /// Number of bytes of a slot of a known kind without trailing fields, its length included.
    static let byteCount = 2 + headerByteCount + commitmentByteCount + boxByteCount
    /// Number of bytes that even a slot of an unknown kind has: length, kind, KDF, id.
    static let smallestByteCount = 20

    /// The id of the slot.
    package let id: SlotID
    /// The number of its kind.
    package let kindNumber: UInt8
    /// Its kind, or `nil` for a slot of a newer version.
    package var kind: SlotKind? { SlotKind(rawValue: kindNumber) }
    /// The cost of a passphrase as written; `nil` where there is none. May be outside what is accepted.
    package let parameters: KDFParameters?

    let kdfNumber: UInt8
    let salt: [UInt8]
    let commitment: [UInt8]
    let box: [UInt8]
    /// What follows in a slot of a newer version; for an unknown kind everything after the id. Kept as it is.
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

    /// Whether the KDF is what a slot of this kind must name.
    var hasExpectedKDF: Bool {
        switch kind {
        case .passphrase: kdfNumber == Self.argon2id
        default: kdfNumber == 0
        }
    }

    /// Kind, KDF, id, passes, memory, salt.
    var header: [UInt8] {
        var bytes = [kindNumber, kdfNumber] + id.bytes
        bytes.append(littleEndian: parameters?.opsLimit ?? 0)
        bytes.append(littleEndian: parameters?.memoryKiB ?? 0)
        bytes += salt
        return bytes
    }

    /// The slot with its length before it.
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

/// What opens a key slot. The number is part of the format.
package enum SlotKind: UInt8, Sendable, CaseIterable {
    /// 32 random bytes that a keyring keeps.
    case keyring = 1
    /// The content of a file.
    case keyFile = 2
    /// Words that a person remembers.
    case passphrase = 3
}

/// A key slot to be made.
package struct NewSlot: Sendable {
    /// What will open the slot.
    package let secret: SlotSecret
    /// The cost of a passphrase; means nothing for the other kinds.
    package let parameters: KDFParameters
    /// The id, where the caller had to know it beforehand; `nil` for a random one.
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
