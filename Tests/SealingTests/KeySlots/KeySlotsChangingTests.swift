// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("Changing key slots")
struct KeySlotsChangingTests {
    let keys: GroupKeys
    let slots: KeySlots

    init() throws {
        keys = try fixedKeys()
        slots = try KeySlots.create(for: keys, slots: [NewSlot(keyFile(1)), NewSlot(keyFile(2))])
    }

    @Test("adding a slot keeps the others as they are")
    func adding() throws {
        let more = try slots.adding(NewSlot(keyring(3)), keys: keys)
        #expect(Array(more.slots.prefix(2)) == slots.slots)
        #expect(try more.unlock(with: keyring(3)).isEqual(to: keys))
        #expect(try more.unlock(with: keyFile(2)).isEqual(to: keys))
    }

    @Test("a group has at least one slot")
    func none() {
        #expect(throws: SealingError(.lastSlot)) { try KeySlots.create(for: keys, slots: []) }
    }

    @Test("a group has at most eight slots")
    func tooMany() throws {
        let eight = try KeySlots.create(for: keys, slots: (1...8).map { NewSlot(try keyFile($0)) })
        #expect(eight.encoded.count <= KeySlots.maximumByteCount)
        #expect(throws: SealingError(.tooManySlots)) { try eight.adding(NewSlot(keyFile(9)), keys: keys) }
        #expect(throws: SealingError(.tooManySlots)) {
            try KeySlots.create(for: keys, slots: (1...9).map { NewSlot(try keyFile($0)) })
        }
    }

    @Test("a group has at most one passphrase slot")
    func onePassphrase() throws {
        let one = try slots.adding(NewSlot(passphrase("a"), parameters: .minimum), keys: keys)
        #expect(throws: SealingError(.passphraseSlotExists)) {
            try one.adding(NewSlot(passphrase("b"), parameters: .minimum), keys: keys)
        }
        #expect(throws: SealingError(.passphraseSlotExists)) {
            try KeySlots.create(for: keys, slots: [NewSlot(passphrase("a")), NewSlot(passphrase("b"))])
        }
    }

    @Test("only the keys of the block change it")
    func foreignKeys() throws {
        let others = try [
            fixedKeys(group: 0x48), fixedKeys(epoch: 2), keys.nextEpoch(),
        ]
        for other in others {
            #expect(throws: SealingError(.foreignKeys)) { try slots.adding(NewSlot(keyFile(3)), keys: other) }
        }
        let sameName = try fixedKeys(root: 0x53)
        #expect(throws: SealingError(.authenticationFailed)) { try slots.adding(NewSlot(keyFile(3)), keys: sameName) }
    }

    @Test("a new epoch has a new root key, the same tag key, and only the slots that were made for it")
    func rekeying() throws {
        let next = try keys.nextEpoch()
        let rekeyed = try slots.rekeyed(from: keys, to: next, slots: [NewSlot(keyFile(2))])
        #expect(rekeyed.epoch == 2)
        #expect(try rekeyed.unlock(with: keyFile(2)).isEqual(to: next))
        #expect(throws: SealingError(.keyRejected)) { try rekeyed.unlock(with: keyFile(1)) }
        #expect(Set(rekeyed.slots.map(\.id)).isDisjoint(with: slots.slots.map(\.id)))
        let tags = try [keys, next].map { keys in
            try RecordSealer(keys: keys).recordTag(section: [1], key: [2])
        }
        #expect(tags[0] == tags[1])
    }

    @Test("a new epoch is a later one of the same group with the same tag key")
    func rekeyingForeign() throws {
        for other in [try fixedKeys(), try fixedKeys(group: 1, epoch: 2), try fixedKeys(epoch: 2, tag: 1)] {
            #expect(throws: SealingError(.foreignKeys)) {
                try slots.rekeyed(from: keys, to: other, slots: [NewSlot(keyFile(2))])
            }
        }
    }

    @Test("a cost outside the bounds is refused")
    func weakParameters() {
        let weak = KDFParameters(opsLimit: 2, memLimit: 64 << 20)
        #expect(throws: SealingError(.unsupportedKDF)) {
            try slots.adding(NewSlot(passphrase("a"), parameters: weak), keys: keys)
        }
    }
}
