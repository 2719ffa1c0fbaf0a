// SPDX-License-Identifier: Apache-2.0

import Sealing

/// Takes a block of key slots apart as the format describes it, so that tests can write what no program writes.
struct SlotBlock {
    var bytes: [UInt8]

    /// Offset of the first slot.
    static let slots = 112
    /// Length of a slot of this version.
    static let slotByteCount = 148

    init(_ slots: KeySlots) {
        bytes = slots.encoded
    }

    /// Puts bytes before the authenticator.
    mutating func appendToBody(_ more: [UInt8]) {
        bytes.insert(contentsOf: more, at: bytes.count - 32)
        fixLength()
    }

    mutating func fixLength() {
        bytes[32] = UInt8(truncatingIfNeeded: bytes.count)
        bytes[33] = UInt8(truncatingIfNeeded: bytes.count >> 8)
    }

    /// Authenticates the block again, as somebody could who has the keys.
    mutating func authenticate(with keys: GroupKeys) throws {
        bytes.removeLast(32)
        let message = Array("tcs.slot-block.1".utf8) + bytes
        bytes += try KeyedHash.hash256(unsafe message.span.bytes, key: keys.subkey(.slotBlock)).bytes
    }

    mutating func store(_ number: UInt32, at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * index)) }
    }
}
