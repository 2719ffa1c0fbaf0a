// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// The first 48 bytes of a frame, which can be verified on their own. The last 48 bytes, its trailer, say the same under
/// another magic number.
struct FrameLead: Hashable, Sendable {
    let headByteCount: UInt32
    /// The whole frame: lead, head, boxes, padding.
    let frameByteCount: UInt64
    let sequence: UInt64
    /// The offset of the secret boxes from the start of the frame; they and the padding fill the rest.
    let secretsOffset: UInt64

    /// The two ends of a frame, by the number that begins each.
    enum Edge: UInt32 {
        /// STCF
        case lead = 0x4643_5453
        /// STCT
        case trailer = 0x5443_5453
    }

    static let byteCount = 48
    private static let hashOffset = 32

    init(headByteCount: UInt32, frameByteCount: UInt64, sequence: UInt64, secretsOffset: UInt64) {
        self.headByteCount = headByteCount
        self.frameByteCount = frameByteCount
        self.sequence = sequence
        self.secretsOffset = secretsOffset
    }

    /// The encoded bytes.
    func encoded(as edge: Edge = .lead, keys: JournalKeys, journal: JournalID) throws(StorageError) -> InlineArray<
        6, UInt64
    > {
        let fields: InlineArray<4, UInt64> = [
            (UInt64(edge.rawValue) | UInt64(headByteCount) << 32).littleEndian,
            frameByteCount.littleEndian, sequence.littleEndian, secretsOffset.littleEndian,
        ]
        let hash = try keys.leadHash(fields.rawSpan, journal: journal)
        return [fields[0], fields[1], fields[2], fields[3], hash.first.littleEndian, hash.second.littleEndian]
    }

    /// The lead at `offset`, or `nil` if the bytes do not verify as one.
    static func verified(
        _ edge: Edge = .lead,
        in bytes: RawSpan,
        at offset: Int,
        keys: JournalKeys,
        journal: JournalID
    ) throws(StorageError) -> FrameLead? {
        guard let lead = claimed(edge, in: bytes, at: offset) else { return nil }
        let hash = try keys.leadHash(bytes.extracting(offset..<offset + hashOffset), journal: journal)
        return hash.isEqual(to: BoxHash(in: bytes, at: offset + hashOffset)) ? lead : nil
    }

    /// The unverified fields at `offset`, or `nil` if no lead could have them. This check is a hundred times faster
    /// than verifying the hash.
    static func claimed(_ edge: Edge = .lead, in bytes: RawSpan, at offset: Int) -> FrameLead? {
        guard bytes.byteCount - offset >= byteCount, bytes.uint32(at: offset) == edge.rawValue else { return nil }
        let lead = FrameLead(
            headByteCount: bytes.uint32(at: offset + 4),
            frameByteCount: bytes.uint64(at: offset + 8),
            sequence: bytes.uint64(at: offset + 16),
            secretsOffset: bytes.uint64(at: offset + 24)
        )
        // Check the lengths even if the hash is valid: a key holder may have written invalid ones.
        guard lead.frameByteCount % 8 == 0, lead.frameByteCount <= JournalFormat.longestFrameByteCount,
            lead.sequence < JournalFormat.largestNumber, lead.secretsOffset <= lead.frameByteCount,
            lead.secretsOffset >= UInt64(byteCount) + UInt64(lead.headByteCount)
        else { return nil }
        return lead
    }
}
