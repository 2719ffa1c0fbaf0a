// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// One operation of a large transaction in a ``SpillFile``: the record without its secret box, which is already at its
/// final location. A row never outlives its transaction, so its encoding is not part of any format.
struct SpilledRow {
    let partition: PartitionTag
    let tag: RecordTag
    /// `nil` for a removal.
    let record: JournalRecord?
    let erasesSecret: Bool
    /// The range of its facts box in the bytes of the bucket.
    let facts: Range<Int>

    private static let fixedByteCount = 96

    static func append(_ record: JournalRecord, in partition: PartitionTag, facts: RawSpan, to bytes: inout [UInt8]) {
        let stored = record.stored
        let (kind, tagCount) = (UInt64(stored.kind.rawValue), UInt64(UInt8(record.searchTags.count)))
        bytes.append(words: [
            1 | kind << 8 | tagCount << 16 | UInt64(UInt32(facts.byteCount)) << 32,
            UInt64(stored.secret.length), stored.sequence, stored.secret.offset,
            partition.first, partition.second, stored.tag.first, stored.tag.second,
            record.factsHash.first, record.factsHash.second, record.secretHash.first, record.secretHash.second,
        ])
        for tag in record.searchTags { bytes.append(littleEndian: tag.rawValue) }
        bytes.append(facts)
    }

    static func append(_ removal: Removal, to bytes: inout [UInt8]) {
        let (partition, tag) = (removal.partition, removal.tag)
        bytes.append(words: [
            removal.erasesSecret ? 1 << 24 : 0, 0, 0, 0,
            partition.first, partition.second, tag.first, tag.second, 0, 0, 0, 0,
        ])
    }

    /// Advances `offset` past the row at `offset`, and returns the record that the row concerns.
    static func skip(in bytes: RawSpan, at offset: inout Int) -> (partition: PartitionTag, tag: RecordTag) {
        let start = offset
        offset += fixedByteCount + 8 * Int(bytes.uint8(at: start + 2)) + Int(bytes.uint32(at: start + 4))
        let partition = PartitionTag(first: bytes.uint64(at: start + 32), second: bytes.uint64(at: start + 40))
        return (partition, RecordTag(first: bytes.uint64(at: start + 48), second: bytes.uint64(at: start + 56)))
    }

    /// Decodes the row at `offset` and advances `offset` past it.
    init(in bytes: RawSpan, at offset: inout Int) {
        let start = offset
        let tagCount = Int(bytes.uint8(at: start + 2))
        let factsByteCount = bytes.uint32(at: start + 4)
        let tags = start + Self.fixedByteCount
        let factsStart = tags + 8 * tagCount
        facts = factsStart..<factsStart + Int(factsByteCount)
        offset = facts.upperBound
        partition = PartitionTag(first: bytes.uint64(at: start + 32), second: bytes.uint64(at: start + 40))
        tag = RecordTag(first: bytes.uint64(at: start + 48), second: bytes.uint64(at: start + 56))
        erasesSecret = bytes.uint8(at: start + 3) != 0
        guard bytes.uint8(at: start) == 1 else {
            record = nil
            return
        }
        record = JournalRecord(
            stored: StoredRecord(
                tag: tag,
                kind: RecordKind(rawValue: bytes.uint8(at: start + 1)),
                sequence: bytes.uint64(at: start + 16),
                facts: BoxLocation(offset: 0, length: factsByteCount),
                secret: BoxLocation(offset: bytes.uint64(at: start + 24), length: bytes.uint32(at: start + 8))
            ),
            factsHash: BoxHash(in: bytes, at: start + 64),
            secretHash: BoxHash(in: bytes, at: start + 80),
            searchTags: (0..<tagCount).map { SearchTag(rawValue: bytes.uint64(at: tags + 8 * $0)) }
        )
    }
}
