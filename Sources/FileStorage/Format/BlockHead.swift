// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// The sealed part of a partition block: the records of one partition, without their boxes.
struct BlockHead {
    var partition: PartitionTag
    /// In ascending order of tag.
    var records: [JournalRecord]

    static let rowByteCount = 80
    static let fixedByteCount = 24

    /// Encodes a head and appends it.
    static func append(_ partition: PartitionTag, records: some Collection<JournalRecord>, to bytes: inout [UInt8]) {
        bytes.append(words: [partition.first, partition.second, UInt64(UInt32(records.count))])
        for record in records {
            let stored = record.stored
            bytes.append(words: [
                stored.tag.first, stored.tag.second, stored.sequence, stored.secret.offset,
                UInt64(stored.secret.length) | UInt64(stored.facts.length) << 32,
                record.factsHash.first, record.factsHash.second, record.secretHash.first, record.secretHash.second,
                UInt64(stored.kind.rawValue) | UInt64(UInt8(record.searchTags.count)) << 8,
            ])
        }
        for record in records {
            for tag in record.searchTags { bytes.append(littleEndian: tag.rawValue) }
        }
    }

    /// Decodes a head. Its first facts box is at file offset `factsOffset`; no box may extend beyond the end of the
    /// block.
    init(decoding bytes: RawSpan, factsOffset: UInt64, blockEnd: UInt64) throws(StorageError) {
        guard bytes.byteCount >= Self.fixedByteCount else { throw Self.damaged }
        partition = PartitionTag(first: bytes.uint64(at: 0), second: bytes.uint64(at: 8))
        let count = Int(bytes.uint32(at: 16))
        guard (bytes.byteCount - Self.fixedByteCount) / Self.rowByteCount >= count else { throw Self.damaged }
        records = []
        records.reserveCapacity(count)
        var facts = factsOffset
        var tags = Self.fixedByteCount + count * Self.rowByteCount
        for index in 0..<count {
            let row = Self.fixedByteCount + index * Self.rowByteCount
            let tagCount = Int(bytes.uint8(at: row + 73))
            guard bytes.byteCount - tags >= 8 * tagCount else { throw Self.damaged }
            let stored = StoredRecord(
                tag: RecordTag(first: bytes.uint64(at: row), second: bytes.uint64(at: row + 8)),
                kind: RecordKind(rawValue: bytes.uint8(at: row + 72)),
                sequence: bytes.uint64(at: row + 16),
                facts: BoxLocation(offset: facts, length: bytes.uint32(at: row + 36)),
                secret: BoxLocation(offset: bytes.uint64(at: row + 24), length: bytes.uint32(at: row + 32))
            )
            guard stored.secret.offset < JournalFormat.largestNumber else { throw Self.damaged }
            facts += UInt64(stored.facts.length)
            records.append(
                JournalRecord(
                    stored: stored,
                    factsHash: BoxHash(in: bytes, at: row + 40),
                    secretHash: BoxHash(in: bytes, at: row + 56),
                    searchTags: (0..<tagCount).map { [tags] in SearchTag(rawValue: bytes.uint64(at: tags + 8 * $0)) }
                )
            )
            tags += 8 * tagCount
        }
        guard tags == bytes.byteCount, facts <= blockEnd else { throw Self.damaged }
    }

    private static var damaged: StorageError {
        StorageError(.damaged, detail: "the head of a partition is malformed")
    }
}
