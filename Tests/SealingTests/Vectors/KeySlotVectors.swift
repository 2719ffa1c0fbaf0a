// SPDX-License-Identifier: Apache-2.0

import Sealing

/// The content of `key-slots.json`: blocks under known keys and secrets.
struct KeySlotVectors: Codable, Equatable {
    struct Secret: Codable, Equatable, Sendable {
        let kind: String
        let secret: String

        func slotSecret() throws -> SlotSecret {
            let bytes = try SealingTests.secret([UInt8](hex: secret))
            return switch kind {
            case "keyring": try .keyring(bytes)
            case "keyFile": try .keyFile(bytes)
            default: try .passphrase(bytes)
            }
        }
    }

    struct Block: Codable, Equatable, Sendable {
        let name: String
        let group: String
        let epoch: UInt32
        let rootKey: String
        let tagKey: String
        let block: String
        /// One per slot, in their order; none for a slot that this version does not know.
        let secrets: [Secret]
    }

    /// A block that must not open, with the one thing that is wrong with it.
    struct Refusal: Codable, Equatable, Sendable {
        let name: String
        let block: String
        let secret: Secret
        let error: String
    }

    let blocks: [Block]
    let refusals: [Refusal]

    static let fileName = "key-slots.json"
}

extension KeySlotVectors {
    static let keyFileSecret = Secret(kind: "keyFile", secret: (0..<32).map { UInt8($0) }.hex)
    static let longKeyFileSecret = Secret(
        kind: "keyFile",
        secret: (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 11) }.hex
    )
    static let keyringSecret = Secret(kind: "keyring", secret: [UInt8](repeating: 0xC7, count: 32).hex)
    static let passphraseSecret = Secret(kind: "passphrase", secret: Array("pässwörd 🔑".utf8).hex)

    /// The vectors as this implementation makes them.
    static func make() throws -> KeySlotVectors {
        let sets: [(String, UInt32, [Secret])] = [
            ("a key file", 1, [keyFileSecret]),
            ("a long key file", 1, [longKeyFileSecret]),
            ("a keyring", 7, [keyringSecret]),
            ("a passphrase", 1, [passphraseSecret]),
            ("one of each", .max, [keyringSecret, keyFileSecret, passphraseSecret]),
            ("eight slots", 2, (1...8).map { Secret(kind: "keyFile", secret: [UInt8](repeating: $0, count: 33).hex) }),
        ]
        var blocks: [Block] = []
        for (name, epoch, secrets) in sets {
            let keys = try fixedKeys(epoch: epoch)
            let slots = try KeySlots.create(
                for: keys,
                slots: secrets.map { NewSlot(try $0.slotSecret(), parameters: .minimum) },
                random: CountingSource().random
            )
            blocks.append(block(name, keys, slots.encoded, secrets))
        }
        blocks.append(try newerBlock())
        return KeySlotVectors(blocks: blocks, refusals: try refusals())
    }

    private static func block(_ name: String, _ keys: GroupKeys, _ bytes: [UInt8], _ secrets: [Secret]) -> Block {
        Block(
            name: name,
            group: "\(keys.uuid)",
            epoch: keys.epoch,
            rootKey: [UInt8](repeating: 0x52, count: 32).hex,
            tagKey: [UInt8](repeating: 0x54, count: 32).hex,
            block: bytes.hex,
            secrets: secrets
        )
    }

    /// A block as a newer minor version might write it: bytes behind a slot, a slot of another kind, a field.
    private static func newerBlock() throws -> Block {
        let keys = try fixedKeys()
        var block = try simpleBlock(keys)
        block.bytes[9] = 4
        block.bytes[11] = 2
        block.bytes.insert(contentsOf: [0xEE, 0xEF], at: SlotBlock.slots + SlotBlock.slotByteCount)
        block.bytes[SlotBlock.slots] = UInt8(SlotBlock.slotByteCount + 2)
        block.appendToBody([24, 0, 9, 2] + [UInt8](repeating: 0x99, count: 20))
        block.appendToBody([0x34, 0x12, 3, 0, 1, 2, 3])
        try block.authenticate(with: keys)
        return self.block("of a newer minor version", keys, block.bytes, [keyFileSecret])
    }

    private static func simpleBlock(_ keys: GroupKeys, _ secret: Secret = keyFileSecret) throws -> SlotBlock {
        SlotBlock(
            try KeySlots.create(
                for: keys,
                slots: [NewSlot(try secret.slotSecret(), parameters: .minimum)],
                random: CountingSource().random
            )
        )
    }

    private static func refusals() throws -> [Refusal] {
        let keys = try fixedKeys()
        var refusals: [Refusal] = []
        func add(
            _ name: String,
            _ error: SealingError.Code,
            secret: Secret = keyFileSecret,
            of owner: Secret = keyFileSecret,
            authentic: Bool = true,
            _ change: (inout SlotBlock) -> Void
        ) throws {
            var block = try simpleBlock(keys, owner)
            change(&block)
            if authentic { try block.authenticate(with: keys) }
            refusals.append(Refusal(name: name, block: block.bytes.hex, secret: secret, error: error.rawValue))
        }
        let other = Secret(kind: "keyFile", secret: [UInt8](repeating: 1, count: 32).hex)
        let asPassphrase = Secret(kind: "passphrase", secret: keyFileSecret.secret)
        try add("another secret", .keyRejected, secret: other) { _ in }
        try add("a secret of another kind", .keyRejected, secret: asPassphrase) { _ in }
        try add("another magic", .malformed) { $0.bytes[0] = 0x54 }
        try add("another major version", .unsupportedVersion) { $0.bytes[8] = 2 }
        try add("another suite", .unsupportedVersion) { $0.bytes[10] = 2 }
        try add("no slot", .malformed) { $0.bytes[11] = 0 }
        try add("fewer slots than it says", .malformed) { $0.bytes[11] = 2 }
        try add("epoch 0", .malformed) { $0.store(0, at: 12) }
        try add("another epoch", .keyRejected) { $0.store(2, at: 12) }
        try add("another group", .keyRejected) { $0.bytes[16] = 0x48 }
        try add("another length", .malformed) { $0.bytes[32] += 1 }
        try add("something reserved", .malformed) { $0.bytes[34] = 1 }
        try add("another tag key box", .authenticationFailed) { $0.bytes[80] ^= 1 }
        try add("another slot id", .keyRejected) { $0.bytes[116] ^= 1 }
        try add("another commitment", .keyRejected) { $0.bytes[156] ^= 1 }
        try add("another box", .keyRejected) { $0.bytes[212] ^= 1 }
        try add("a cost without KDF", .malformed) { $0.bytes[132] = 3 }
        try add("a KDF where none belongs", .unsupportedKDF) { $0.bytes[115] = 1 }
        try add("too few passes", .unsupportedKDF, secret: passphraseSecret, of: passphraseSecret) {
            $0.store(2, at: 132)
        }
        try add("too many passes", .unsupportedKDF, secret: passphraseSecret, of: passphraseSecret) {
            $0.store(11, at: 132)
        }
        try add("too little memory", .unsupportedKDF, secret: passphraseSecret, of: passphraseSecret) {
            $0.store(65_535, at: 136)
        }
        try add("too much memory", .unsupportedKDF, secret: passphraseSecret, of: passphraseSecret) {
            $0.store(1_048_577, at: 136)
        }
        try add("another salt", .keyRejected, secret: passphraseSecret, of: passphraseSecret) { $0.bytes[140] ^= 1 }
        try add("an unknown KDF", .unsupportedKDF, secret: passphraseSecret, of: passphraseSecret) {
            $0.bytes[115] = 2
        }
        try add("a field that must be understood", .unsupportedVersion) { $0.appendToBody([0, 0x80, 0, 0]) }
        try add("a field that does not end", .malformed) { $0.appendToBody([1, 0, 9, 0]) }
        try add("another authenticator", .authenticationFailed, authentic: false) { $0.bytes[291] ^= 1 }
        try add("a field that nobody authenticated", .authenticationFailed, authentic: false) {
            $0.appendToBody([1, 0, 0, 0])
        }
        return refusals
    }
}
