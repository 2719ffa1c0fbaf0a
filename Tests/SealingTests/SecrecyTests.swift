// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

/// Whatever a program prints, no type shows what it keeps secret.
@Suite("Secrecy")
struct SecrecyTests {
    /// Bytes that are text, so that they would be seen in any form of output.
    static let canary = "CANARY-SECRET-0123456789ABCDEFGH"

    @Test("nothing that is printed, dumped or mirrored holds a secret")
    func printing() throws {
        let canary = Array(Self.canary.utf8)
        #expect(canary.count == 32)
        let keys = GroupKeys(
            uuid: GroupUUID(),
            epoch: 1,
            rootKey: try SealingKey(secret(canary)),
            tagKey: try SealingKey(secret(canary))
        )
        let slotSecrets = [
            try SlotSecret.keyFile(secret(canary)), try SlotSecret.keyring(secret(canary)),
            try SlotSecret.passphrase(secret(canary)),
        ]
        let slots = try KeySlots.create(for: keys, slots: slotSecrets.map { NewSlot($0, parameters: .minimum) })
        let sealer = try RecordSealer(keys: keys)
        let values: [Any] =
            [keys, sealer, slots, slots.slots, slots.slots[0], slots.slots[0].id, RandomSource.system]
            + slotSecrets + slotSecrets.map { NewSlot($0) as Any }
        for value in values {
            for text in renderings(of: value) {
                #expect(!text.contains("CANARY"))
                #expect(!text.contains("67, 65, 78, 65, 82, 89"))
                #expect(!text.lowercased().contains("43414e415259"))
                #expect(!text.contains("0x"), "an address of secret memory: \(text)")
            }
        }
    }

    @Test("errors contain nothing but the reason", arguments: SealingError.Code.allCases)
    func errors(code: SealingError.Code) {
        let error = SealingError(code)
        #expect(error.description.hasSuffix("."))
        #expect(Mirror(reflecting: error).children.count == 1)
    }

    @Test("descriptions are enough to distinguish values")
    func descriptions() throws {
        let keys = try fixedKeys()
        let slots = try KeySlots.create(for: keys, slots: [NewSlot(keyFile(1))])
        #expect(keys.description == "GroupKeys(47474747-4747-4747-4747-474747474747, epoch 1)")
        #expect(slots.description == "KeySlots(47474747-4747-4747-4747-474747474747, epoch 1, 1 slots)")
        #expect(slots.slots[0].description == "KeySlot(keyFile, \(slots.slots[0].id))")
        #expect(SlotID(slots.slots[0].id.description) == slots.slots[0].id)
    }

    private func renderings(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [String(describing: value), String(reflecting: value), dumped, mirrored(value)]
    }

    private func mirrored(_ value: Any) -> String {
        Mirror(reflecting: value).children.map { "\($0.label ?? ""): \($0.value) \(mirrored($0.value))" }.joined()
    }
}
