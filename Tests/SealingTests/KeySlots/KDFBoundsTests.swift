// SPDX-License-Identifier: Apache-2.0

import Foundation
import Sealing
import Testing

@Suite("Cost of a passphrase")
struct KDFBoundsTests {
    @Test(
        "outside the bounds is refused without being paid",
        arguments: [
            (2, 65_536), (0, 65_536), (11, 65_536), (.max, 65_536), (3, 65_535), (3, 0), (3, 524_289),
            (7, 262_144), (10, 157_287), (10, 1_048_576), (3, 67_108_864), (3, .max), (.max, .max),
        ] as [(UInt32, UInt32)]
    )
    func hostile(passes: UInt32, memoryKiB: UInt32) throws {
        let keys = try fixedKeys()
        var block = SlotBlock(
            try KeySlots.create(for: keys, slots: [NewSlot(passphrase("wort"), parameters: .minimum)])
        )
        block.store(passes, at: SlotBlock.slots + 20)
        block.store(memoryKiB, at: SlotBlock.slots + 24)
        try block.authenticate(with: keys)
        let slots = try KeySlots(encoded: block.bytes)
        let secret = try passphrase("wort")
        let before = threadTime()
        #expect(throws: SealingError(.unsupportedKDF)) { try slots.unlock(with: secret) }
        // Of the processor's time, which does not depend on how busy the machine is: the least that would be accepted takes more.
        #expect(threadTime() - before < 0.05 || isSanitized)
        #expect(slots.slots[0].parameters?.isAcceptable == false)
    }

    /// Seconds that this thread has had the processor.
    private func threadTime() -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test(
        "on the bounds is accepted",
        arguments: [(3, 64 << 20), (10, 64 << 20), (6, 256 << 20), (3, 512 << 20)] as [(UInt32, Int)]
    )
    func bounds(passes: UInt32, memory: Int) {
        #expect(KDFParameters(opsLimit: passes, memLimit: memory).isAcceptable)
    }

    @Test("is three passes over 256 MiB by default")
    func standard() {
        #expect(KDFParameters.standard.opsLimit == 3)
        #expect(KDFParameters.standard.memLimit == 256 << 20)
        #expect(KDFParameters.standard.isAcceptable)
        #expect(KDFParameters.minimum.isAcceptable)
    }

    @Test("of an unknown kind is refused when the slot is to be opened, and no earlier")
    func unknownKDF() throws {
        let keys = try fixedKeys()
        var block = SlotBlock(
            try KeySlots.create(for: keys, slots: [NewSlot(keyFile(1)), NewSlot(keyring(2))])
        )
        block.bytes[SlotBlock.slots + 3] = 7
        try block.authenticate(with: keys)
        let slots = try KeySlots(encoded: block.bytes)
        #expect(throws: SealingError(.unsupportedKDF)) { try slots.unlock(with: keyFile(1)) }
        #expect(try slots.unlock(with: keyring(2)).isEqual(to: keys))
    }

    @Test("of an unknown kind in one slot keeps no other slot shut")
    func unknownKDFBeforeAnother() throws {
        let keys = try fixedKeys()
        var block = SlotBlock(try KeySlots.create(for: keys, slots: [NewSlot(keyFile(1)), NewSlot(keyFile(2))]))
        block.bytes[SlotBlock.slots + 3] = 7
        try block.authenticate(with: keys)
        let slots = try KeySlots(encoded: block.bytes)
        #expect(try slots.unlock(with: keyFile(2)).isEqual(to: keys))
    }

    @Test("where none belongs is malformed", arguments: [20, 24, 28, 43])
    func costWithoutKDF(offset: Int) throws {
        var block = SlotBlock(try KeySlots.create(for: fixedKeys(), slots: [NewSlot(keyFile(1))]))
        block.bytes[SlotBlock.slots + offset] = 1
        #expect(throws: SealingError(.malformed)) { try KeySlots(encoded: block.bytes) }
    }

    @Test("that memory does not cover is an error, never less", .disabled(if: isSanitized))
    func outOfMemory() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 512 << 20, rlim_max: 512 << 20)
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            let parameters = KDFParameters(opsLimit: 3, memLimit: 512 << 20)
            let secret = try passphrase("wort")
            #expect(throws: SealingError(.outOfMemory)) {
                _ = try secret.stretched(parameters, salt: [UInt8](repeating: 1, count: 16))
            }
        }
    }
}
