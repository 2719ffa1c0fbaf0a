// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("Key slots")
struct KeySlotsTests {
    let keys: GroupKeys
    let slots: KeySlots

    init() throws {
        keys = try fixedKeys()
        slots = try KeySlots.create(for: keys, slots: [NewSlot(keyFile(1))])
    }

    @Test("open with the secret of any slot")
    func unlocking() throws {
        let three = try KeySlots.create(
            for: keys,
            slots: [NewSlot(keyFile(1)), NewSlot(keyFile(2)), NewSlot(keyring(3))]
        )
        for secret in [try keyFile(1), try keyFile(2), try keyring(3)] {
            #expect(try three.unlock(with: secret).isEqual(to: keys))
        }
    }

    @Test("open with a passphrase")
    func passphraseSlot() throws {
        let slots = try KeySlots.create(for: keys, slots: [NewSlot(passphrase("wort"), parameters: .minimum)])
        #expect(try slots.unlock(with: passphrase("wort")).isEqual(to: keys))
        #expect(throws: SealingError(.keyRejected)) { try slots.unlock(with: passphrase("Wort")) }
    }

    @Test("open with key files of any allowed length", arguments: [32, 33, 100, 4096])
    func keyFileLengths(count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let slots = try KeySlots.create(for: keys, slots: [NewSlot(.keyFile(secret(content)))])
        #expect(try slots.unlock(with: .keyFile(secret(content))).isEqual(to: keys))
        var changed = content
        changed[count - 1] ^= 1
        #expect(throws: SealingError(.keyRejected)) { try slots.unlock(with: .keyFile(secret(changed))) }
    }

    @Test("reject another secret of the same kind")
    func wrongSecret() {
        #expect(throws: SealingError(.keyRejected)) { try slots.unlock(with: keyFile(2)) }
    }

    @Test("reject the right bytes as a secret of another kind")
    func wrongKind() {
        #expect(throws: SealingError(.keyRejected)) { try slots.unlock(with: keyring(1)) }
        #expect(throws: SealingError(.keyRejected)) { try slots.unlock(with: .passphrase(secret([1]))) }
    }

    @Test("open by their id")
    func unlockingByID() throws {
        let two = try KeySlots.create(for: keys, slots: [NewSlot(keyFile(1)), NewSlot(keyFile(2))])
        #expect(try two.unlock(slot: two.slots[1].id, with: keyFile(2)).isEqual(to: keys))
        #expect(throws: SealingError(.keyRejected)) { try two.unlock(slot: two.slots[0].id, with: keyFile(2)) }
        #expect(throws: SealingError(.keyRejected)) { try two.unlock(slot: two.slots[0].id, with: keyring(1)) }
        let unknown = try #require(SlotID("000102030405060708090a0b0c0d0e0f"))
        #expect(throws: SealingError(.slotNotFound)) { try two.unlock(slot: unknown, with: keyFile(2)) }
    }

    @Test("are the same after writing and reading")
    func encoding() throws {
        let read = try KeySlots(encoded: slots.encoded)
        #expect(read == slots)
        #expect(try read.unlock(with: keyFile(1)).isEqual(to: keys))
    }

    @Test("list id, kind and cost of every slot")
    func listing() throws {
        let slots = try KeySlots.create(
            for: keys,
            slots: [NewSlot(keyFile(1)), NewSlot(passphrase("wort"), parameters: .minimum)]
        )
        #expect(slots.slots.map(\.kind) == [.keyFile, .passphrase])
        #expect(slots.slots.map(\.parameters) == [nil, .minimum])
        #expect(Set(slots.slots.map(\.id)).count == 2)
        #expect(slots.uuid == keys.uuid)
        #expect(slots.epoch == keys.epoch)
    }

    @Test("have the id that the caller gave")
    func givenID() throws {
        let id = try #require(SlotID("000102030405060708090a0b0c0d0e0f"))
        let slots = try KeySlots.create(for: keys, slots: [NewSlot(keyFile(1), id: id)])
        #expect(slots.slots.map(\.id) == [id])
    }

    @Test("refuse secrets of a length that is not allowed")
    func secretLengths() {
        for count in [0, 31, 4097] {
            #expect(throws: SealingError(.invalidSecret)) {
                try SlotSecret.keyFile(SecretBytes(byteCount: count))
            }
        }
        for count in [0, 31, 33] {
            #expect(throws: SealingError(.invalidSecret)) {
                try SlotSecret.keyring(SecretBytes(byteCount: count))
            }
        }
        for count in [0, 4097] {
            #expect(throws: SealingError(.invalidSecret)) {
                try SlotSecret.passphrase(SecretBytes(byteCount: count))
            }
        }
    }
}

func keyFile(_ byte: UInt8) throws -> SlotSecret {
    try .keyFile(secret([UInt8](repeating: byte, count: 32)))
}

func keyring(_ byte: UInt8) throws -> SlotSecret {
    try .keyring(secret([UInt8](repeating: byte, count: 32)))
}

func passphrase(_ text: String) throws -> SlotSecret {
    try .passphrase(secret(Array(text.utf8)))
}
