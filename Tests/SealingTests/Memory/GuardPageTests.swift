// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("Guard pages")
struct GuardPageTests {
    @Test("a step beyond a slab ends the process")
    func beyondSlab() async {
        await #expect(processExitsWith: .failure) {
            let secret = try SecretBytes(byteCount: 64)
            poke(addressOf(secret) + 64 * 1024)
        }
    }

    @Test("a step before a slab ends the process")
    func beforeSlab() async {
        await #expect(processExitsWith: .failure) {
            let secret = try SecretBytes(byteCount: 64)
            poke(addressOf(secret) - 1)
        }
    }

    @Test("a step beyond a large secret ends the process", arguments: [65536 + 64, 1 << 20])
    func beyondLarge(byteCount: Int) async {
        await #expect(processExitsWith: .failure) { [byteCount] in
            let secret = try SecretBytes(byteCount: byteCount)
            poke(addressOf(secret) + UInt(byteCount))
        }
    }

    @Test("reading a large secret after its release ends the process")
    func afterUnmapping() async {
        await #expect(processExitsWith: .failure) {
            var address: UInt = 0
            do {
                let secret = try SecretBytes(byteCount: 1 << 20)
                address = addressOf(secret)
            }
            poke(address)
        }
    }
}

/// Writes a byte where none may be written.
private func poke(_ address: UInt) {
    unsafe UnsafeMutableRawPointer(bitPattern: address)?.storeBytes(of: 1, as: UInt8.self)
}
