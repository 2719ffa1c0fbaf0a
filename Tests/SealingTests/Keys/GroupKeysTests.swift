// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("Group keys")
struct GroupKeysTests {
    @Test("are new ones for every group")
    func generation() throws {
        let one = try GroupKeys.generate()
        let two = try GroupKeys.generate(uuid: one.uuid)
        #expect(one.epoch == 1)
        #expect(two.uuid == one.uuid)
        #expect(!one.isEqual(to: two))
    }

    @Test("of the next epoch have a new root key and the same tag key")
    func nextEpoch() throws {
        let keys = try GroupKeys.generate()
        let next = try keys.nextEpoch()
        #expect(next.epoch == 2)
        #expect(next.uuid == keys.uuid)
        let subkeys = [try keys.subkey(.record).isEqual(to: next.subkey(.record))]
        #expect(subkeys == [false])
        let tags = try [keys, next].map { try RecordSealer(keys: $0).recordTag(section: [1], key: [2]) }
        #expect(tags[0] == tags[1])
    }

    @Test("end with the last epoch")
    func lastEpoch() throws {
        let last = try fixedKeys(epoch: .max)
        #expect(throws: SealingError(.epochExhausted)) { try last.nextEpoch() }
    }

    @Test("give another subkey for every purpose")
    func subkeys() throws {
        let keys = try fixedKeys()
        for purpose in SubkeyPurpose.allCases {
            for other in SubkeyPurpose.allCases {
                let areEqual = try keys.subkey(purpose).isEqual(to: keys.subkey(other))
                #expect(areEqual == (purpose == other))
            }
        }
    }

    @Test("are equal when group, epoch and both keys are")
    func equality() throws {
        let keys = try fixedKeys()
        #expect(keys.isEqual(to: try fixedKeys()))
        for other in [
            try fixedKeys(group: 1), try fixedKeys(epoch: 2), try fixedKeys(root: 1), try fixedKeys(tag: 1),
        ] {
            #expect(!keys.isEqual(to: other))
        }
    }
}
