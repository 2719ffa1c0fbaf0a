// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("Derivation")
struct DerivationTests {
    @Test("subkeys equal those of other implementations", arguments: try PrimitiveVectors.load().subkeys)
    func subkeys(vector: PrimitiveVectors.Subkey) throws {
        let purpose = try #require(SubkeyPurpose(rawValue: vector.number))
        #expect(purpose.context == vector.context)
        let keys = GroupKeys(
            uuid: GroupUUID(),
            epoch: 1,
            rootKey: try SealingKey(secret([UInt8](hex: vector.rootKey))),
            tagKey: try key(0)
        )
        let subkey = try keys.subkey(purpose)
        let expected = try SealingKey(secret([UInt8](hex: vector.subkey)))
        let areEqual = subkey.isEqual(to: expected)
        #expect(areEqual)
    }

    @Test("every purpose has a figure")
    func completeness() throws {
        #expect(try PrimitiveVectors.load().subkeys.map(\.number) == SubkeyPurpose.allCases.map(\.rawValue))
    }

    @Test("passphrases are stretched as others stretch them", arguments: try PrimitiveVectors.load().argon2id)
    func argon2id(vector: PrimitiveVectors.Stretching) throws {
        let passphrase = try SlotSecret.passphrase(secret([UInt8](hex: vector.passphrase)))
        let stretched = try passphrase.stretched(
            KDFParameters(opsLimit: vector.passes, memLimit: vector.memoryKiB * 1024),
            salt: [UInt8](hex: vector.salt)
        )
        let expected = try SealingKey(secret([UInt8](hex: vector.output)))
        let areEqual = stretched.isEqual(to: expected)
        #expect(areEqual)
    }

    @Test("labels and contexts are all different and none begins another")
    func labels() {
        let labels = Label.all + SubkeyPurpose.allCases.map(\.context)
        for (index, label) in labels.enumerated() {
            for (otherIndex, other) in labels.enumerated() where index != otherIndex {
                #expect(!other.hasPrefix(label), "\(label) begins \(other)")
            }
        }
    }

    @Test("labels have 16 ASCII bytes and contexts eight")
    func labelLengths() {
        #expect(Label.all.allSatisfy { $0.utf8.count == 16 && $0.utf8.allSatisfy { $0 < 0x80 } })
        #expect(SubkeyPurpose.allCases.allSatisfy { $0.context.utf8.count == 8 })
    }
}
