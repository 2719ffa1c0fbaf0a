// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("Key slots of other versions")
struct KeySlotsVersionTests {
    let keys: GroupKeys
    let slots: KeySlots

    init() throws {
        keys = try fixedKeys()
        slots = try KeySlots.create(for: keys, slots: [NewSlot(keyFile(1)), NewSlot(keyring(2))])
    }

    @Test("of another major version are refused", arguments: [0, 2, 255])
    func major(version: UInt8) {
        var block = SlotBlock(slots)
        block.bytes[8] = version
        #expect(throws: SealingError(.unsupportedVersion)) { try KeySlots(encoded: block.bytes) }
    }

    @Test("of another suite are refused", arguments: [0, 2, 255])
    func suite(suite: UInt8) {
        var block = SlotBlock(slots)
        block.bytes[10] = suite
        #expect(throws: SealingError(.unsupportedVersion)) { try KeySlots(encoded: block.bytes) }
    }

    @Test("of something else are malformed")
    func magic() {
        var block = SlotBlock(slots)
        block.bytes[0] ^= 0x20
        #expect(throws: SealingError(.malformed)) { try KeySlots(encoded: block.bytes) }
    }

    @Test("keep minor version and unknown fields through every change")
    func unknownFields() throws {
        let field: [UInt8] = [0x34, 0x12, 3, 0, 7, 8, 9]
        let empty: [UInt8] = [0xFF, 0x7F, 0, 0]
        var block = SlotBlock(slots)
        block.bytes[9] = 5
        block.appendToBody(field + empty)
        try block.authenticate(with: keys)
        let newer = try KeySlots(encoded: block.bytes)
        #expect(try newer.unlock(with: keyFile(1)).isEqual(to: keys))

        let next = try keys.nextEpoch()
        for changed in [
            try newer.adding(NewSlot(keyFile(3)), keys: keys),
            try newer.rekeyed(from: keys, to: next, slots: [NewSlot(keyFile(1))]),
        ] {
            #expect(changed.encoded[9] == 5)
            #expect(Array(changed.encoded.dropLast(32).suffix(11)) == field + empty)
        }
    }

    @Test("with a field that must be understood are refused", arguments: [0x8000, 0xFFFF] as [UInt16])
    func criticalField(type: UInt16) throws {
        var block = SlotBlock(slots)
        block.appendToBody([UInt8(truncatingIfNeeded: type), UInt8(type >> 8), 0, 0])
        try block.authenticate(with: keys)
        #expect(throws: SealingError(.unsupportedVersion)) { try KeySlots(encoded: block.bytes) }
    }

    @Test("with a field that does not end are malformed", arguments: [[1], [1, 0], [1, 0, 0], [1, 0, 1, 0]])
    func tornField(field: [UInt8]) throws {
        var block = SlotBlock(slots)
        block.appendToBody(field)
        try block.authenticate(with: keys)
        #expect(throws: SealingError(.malformed)) { try KeySlots(encoded: block.bytes) }
    }

    @Test("keep slots of a kind that they do not know")
    func unknownKind() throws {
        let id = (0..<16).map { UInt8(0xA0 + $0) }
        let foreign: [UInt8] = [25, 0, 4, 9] + id + [1, 2, 3, 4, 5]
        var block = SlotBlock(slots)
        block.bytes[11] = 3
        block.appendToBody(foreign)
        try block.authenticate(with: keys)
        let newer = try KeySlots(encoded: block.bytes)
        #expect(newer.slots[2].kind == nil)
        #expect(newer.slots[2].kindNumber == 4)
        #expect(newer.slots[2].id == SlotID(bytes: id))
        #expect(try newer.unlock(with: keyring(2)).isEqual(to: keys))
        let more = try KeySlots(encoded: newer.adding(NewSlot(keyFile(3)), keys: keys).encoded)
        #expect(more.slots[2] == newer.slots[2])
        #expect(more.encoded.firstRange(of: foreign) != nil)
        #expect(try more.unlock(with: keyring(2)).isEqual(to: keys))
    }

    @Test("keep fields that a newer version added to a slot")
    func trailingBytes() throws {
        var block = SlotBlock(slots)
        let end = SlotBlock.slots + SlotBlock.slotByteCount
        block.bytes.insert(contentsOf: [7, 8, 9], at: end)
        block.bytes[SlotBlock.slots] = UInt8(SlotBlock.slotByteCount + 3)
        block.fixLength()
        try block.authenticate(with: keys)
        let newer = try KeySlots(encoded: block.bytes)
        #expect(try newer.unlock(with: keyFile(1)).isEqual(to: keys))
        let more = try KeySlots(encoded: newer.adding(NewSlot(keyFile(3)), keys: keys).encoded)
        #expect(more.slots[0] == newer.slots[0])
        #expect(Array(more.encoded.prefix(end + 3).suffix(3)) == [7, 8, 9])
    }

    @Test("that fill the block take no further slot")
    func fullBlock() throws {
        var block = SlotBlock(slots)
        let room = KeySlots.maximumByteCount - block.bytes.count - 4
        let head = [1, 0, UInt8(truncatingIfNeeded: room), UInt8(room >> 8)]
        block.appendToBody(head + [UInt8](repeating: 0, count: room))
        try block.authenticate(with: keys)
        let full = try KeySlots(encoded: block.bytes)
        #expect(full.encoded.count == KeySlots.maximumByteCount)
        #expect(throws: SealingError(.tooManySlots)) { try full.adding(NewSlot(keyFile(3)), keys: keys) }
    }
}
