// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The keys of a group in one epoch, sealed under up to eight secrets, any of which opens them.
///
/// The block is stored in the header of a journal and is self-contained: it names the group and the epoch, contains the
/// sealed tag key, and is authenticated as a whole with a key derived from the root key. It contains no plaintext
/// secret. Methods that change it return a new block.
package struct KeySlots: Hashable, Sendable {
    /// The maximum size of a block in bytes.
    package static let maximumByteCount = 3584
    /// The maximum number of slots in a block.
    package static let maximumSlotCount = 8

    /// The group.
    package let uuid: GroupUUID
    /// The number of the root key in the block.
    package let epoch: UInt32
    /// The slots, which contain no plaintext secret and may be displayed.
    package let slots: [KeySlot]
    /// The encoded block.
    package let encoded: [UInt8]

    let minorVersion: UInt8
    /// The tag key, sealed under a subkey of the root key.
    let tagKeyBox: [UInt8]
    let fields: [SlotField]

    static let magic: StaticString = "tcsslots"
    static let majorVersion: UInt8 = 1
    static let headByteCount = 40
    static let macByteCount = Digest.byteCount
}

/// An unknown field after the slots. It is preserved, so that an older version does not lose what a newer one wrote.
struct SlotField: Hashable, Sendable {
    /// The first critical field type. A version that does not know such a field must not modify the block.
    static let firstCriticalType: UInt16 = 0x8000

    let type: UInt16
    let content: [UInt8]

    init(from reader: inout ByteReader) throws(SealingError) {
        type = try reader.readUInt16()
        content = try reader.read(Int(try reader.readUInt16()))
        guard type < Self.firstCriticalType else { throw SealingError(.unsupportedVersion) }
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: type)
        bytes.append(littleEndian: UInt16(content.count))
        return bytes + content
    }
}
