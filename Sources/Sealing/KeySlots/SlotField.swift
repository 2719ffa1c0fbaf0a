// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

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
