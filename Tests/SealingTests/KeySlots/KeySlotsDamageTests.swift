// SPDX-License-Identifier: Apache-2.0

import Sealing
import SeededRandom
import Testing

@Suite("Damaged and forged key slots")
struct KeySlotsDamageTests {
    let keys: GroupKeys
    let slots: KeySlots

    init() throws {
        keys = try fixedKeys()
        slots = try KeySlots.create(for: keys, slots: [NewSlot(keyFile(1)), NewSlot(keyring(2))])
    }

    @Test("with any bit flipped never open by any slot")
    func flippedBits() throws {
        let secrets = [try keyFile(1), try keyring(2)]
        for bit in 0..<slots.encoded.count * 8 {
            var bytes = slots.encoded
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            for secret in secrets {
                #expect(throws: SealingError.self, "bit \(bit)") {
                    try KeySlots(encoded: bytes).unlock(with: secret)
                }
            }
        }
    }

    @Test("with a bit flipped never open by a passphrase")
    func flippedPassphraseBits() throws {
        let slots = try KeySlots.create(for: keys, slots: [NewSlot(passphrase("wort"), parameters: .minimum)])
        let secret = try passphrase("wort")
        // Every field of the slot, a few bits of each: one try costs as much as one passphrase.
        for offset in [8, 11, 12, 16, 32, 40, 112, 114, 115, 116, 132, 137, 140, 155, 156, 188, 212, 259, 260, 291] {
            var bytes = slots.encoded
            bytes[offset] ^= 1
            #expect(throws: SealingError.self, "byte \(offset)") {
                try KeySlots(encoded: bytes).unlock(with: secret)
            }
        }
    }

    @Test("that were cut or made longer are malformed")
    func lengths() {
        for count in 0..<slots.encoded.count {
            #expect(throws: SealingError(.malformed), "\(count) bytes") {
                try KeySlots(encoded: Array(slots.encoded.prefix(count)))
            }
        }
        #expect(throws: SealingError(.malformed)) { try KeySlots(encoded: slots.encoded + [0]) }
        #expect(throws: SealingError(.malformed)) { try KeySlots(encoded: [UInt8](repeating: 0, count: 1 << 20)) }
    }

    @Test("never trap, whatever their bytes, and decoded slots encode to the same bytes")
    func randomBytes() throws {
        var generator = SeededGenerator(for: "bytes of key slots")
        var refused = 0
        for _ in 0..<20_000 {
            var bytes = slots.encoded
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if let read = try? KeySlots(encoded: bytes) {
                #expect(read.encoded == bytes)
            } else {
                refused += 1
            }
        }
        // Of lengths and counts there are few, of boxes many.
        #expect((100..<20_000).contains(refused), "\(refused)")
    }

    @Test("whose commitment is wrong are rejected before anything is decrypted")
    func commitment() throws {
        // A wrong box alone would say that it does not verify; that it is rejected shows what was asked first.
        for offset in [156, 180, 188, 212, 243, 244, 259] {
            var block = SlotBlock(slots)
            block.bytes[offset] ^= 0x10
            try block.authenticate(with: keys)
            #expect(throws: SealingError(.keyRejected), "byte \(offset)") {
                try KeySlots(encoded: block.bytes).unlock(with: keyFile(1))
            }
        }
    }

    @Test("with the slot of another group do not open")
    func foreignSlot() throws {
        let others = [try fixedKeys(group: 1), try fixedKeys(epoch: 2)]
        for other in others {
            let foreign = try KeySlots.create(for: other, slots: [NewSlot(keyFile(1)), NewSlot(keyring(2))])
            var block = SlotBlock(slots)
            let range = SlotBlock.slots..<SlotBlock.slots + SlotBlock.slotByteCount
            block.bytes.replaceSubrange(range, with: foreign.encoded[range])
            #expect(throws: SealingError(.keyRejected)) {
                try KeySlots(encoded: block.bytes).unlock(with: keyFile(1))
            }
        }
    }

    @Test("with the slot of an older block of the same epoch are noticed")
    func olderSlot() throws {
        let older = try KeySlots.create(for: keys, slots: [NewSlot(keyFile(9)), NewSlot(keyring(2))])
        var block = SlotBlock(slots)
        let range = SlotBlock.slots..<SlotBlock.slots + SlotBlock.slotByteCount
        block.bytes.replaceSubrange(range, with: older.encoded[range])
        // The smuggled slot gives the root key, and the root key shows that the block is not what was written.
        #expect(throws: SealingError(.authenticationFailed)) {
            try KeySlots(encoded: block.bytes).unlock(with: keyFile(9))
        }
    }

    @Test("with the tag key of another group do not open")
    func foreignTagKey() throws {
        let other = try KeySlots.create(for: fixedKeys(root: 0x53), slots: [NewSlot(keyFile(1))])
        var block = SlotBlock(slots)
        block.bytes.replaceSubrange(40..<112, with: other.encoded[40..<112])
        try block.authenticate(with: keys)
        #expect(throws: SealingError(.authenticationFailed)) {
            try KeySlots(encoded: block.bytes).unlock(with: keyFile(1))
        }
    }

    @Test("with an id twice are malformed")
    func twins() throws {
        var block = SlotBlock(slots)
        let second = SlotBlock.slots + SlotBlock.slotByteCount
        block.bytes.replaceSubrange(second + 4..<second + 20, with: block.bytes[116..<132])
        #expect(throws: SealingError(.malformed)) { try KeySlots(encoded: block.bytes) }
    }

    @Test("with two passphrase slots are malformed")
    func twoPassphrases() {
        var block = SlotBlock(slots)
        for slot in 0..<2 {
            block.bytes[SlotBlock.slots + slot * SlotBlock.slotByteCount + 2] = 3
            block.bytes[SlotBlock.slots + slot * SlotBlock.slotByteCount + 3] = 1
        }
        #expect(throws: SealingError(.malformed)) { try KeySlots(encoded: block.bytes) }
    }

    @Test("without a slot, or with more than there are, are malformed", arguments: [0, 1, 3, 9, 255])
    func slotCount(count: UInt8) {
        var block = SlotBlock(slots)
        block.bytes[11] = count
        #expect(throws: SealingError.self) { try KeySlots(encoded: block.bytes).unlock(with: keyring(2)) }
    }

    @Test("of epoch 0 are malformed")
    func epochZero() {
        var block = SlotBlock(slots)
        block.store(0, at: 12)
        #expect(throws: SealingError(.malformed)) { try KeySlots(encoded: block.bytes) }
    }

    @Test("with something in the reserved bytes are malformed", arguments: 34..<40)
    func reserved(offset: Int) {
        var block = SlotBlock(slots)
        block.bytes[offset] = 1
        #expect(throws: SealingError(.malformed)) { try KeySlots(encoded: block.bytes) }
    }
}
