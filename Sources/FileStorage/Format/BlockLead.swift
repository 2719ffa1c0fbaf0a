// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The first 16 bytes of a partition block. They are not authenticated by themselves: trust them only once the head
/// that they describe has opened.
struct BlockLead: Hashable, Sendable {
    let headByteCount: UInt32
    /// The whole block: lead, head, facts, padding.
    let blockByteCount: UInt32

    static let magic: UInt32 = 0x4243_5453
    static let byteCount = 16

    init(headByteCount: UInt32, blockByteCount: UInt32) {
        self.headByteCount = headByteCount
        self.blockByteCount = blockByteCount
    }

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        bytes.append(littleEndian: Self.magic)
        bytes.append(littleEndian: headByteCount)
        bytes.append(littleEndian: blockByteCount)
        bytes.append(zeros: 4)
        return bytes
    }

    /// The lead at `offset`, or `nil` if the bytes cannot be one.
    init?(in bytes: RawSpan, at offset: Int) {
        guard bytes.byteCount - offset >= Self.byteCount, bytes.uint32(at: offset) == Self.magic else { return nil }
        headByteCount = bytes.uint32(at: offset + 4)
        blockByteCount = bytes.uint32(at: offset + 8)
        guard blockByteCount % 8 == 0, UInt64(blockByteCount) >= UInt64(Self.byteCount) + UInt64(headByteCount)
        else { return nil }
    }
}
