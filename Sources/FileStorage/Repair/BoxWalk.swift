// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// Finds sealed boxes by trial where no readable structure locates them. Tries every multiple of 8.
struct BoxWalk {
    let bytes: [UInt8]
    /// The file offset of the bytes.
    let offset: UInt64
    let examiner: any RecordExaminer

    /// The size of the shortest facts box: nonce, one bucket, tag.
    static let smallestFactsByteCount = 72
    /// The number of records tried for each secret; records before the matching one count as having none.
    private static let soughtRecordCount = 16

    /// A record with the locations of its boxes in ``bytes``.
    struct Found {
        let record: ExaminedRecord
        let facts: Range<Int>
        var secret: Range<Int>?
    }

    /// The facts boxes in `range`, and the gaps between them.
    func facts(
        in range: Range<Int>,
        sequences: [UInt64],
        partitions: Set<PartitionTag>
    ) throws(StorageError) -> (found: [Found], gaps: [Range<Int>]) {
        var partitions = partitions
        var found: [Found] = []
        var gaps: [Range<Int>] = []
        var position = range.lowerBound
        var gapStart = position
        while position + Self.smallestFactsByteCount <= range.upperBound {
            let rest = bytes.rawSpan.extracting(position..<range.upperBound)
            guard let record = try examiner.record(at: rest, sequences: sequences, partitions: partitions) else {
                position += 8
                continue
            }
            if gapStart < position { gaps.append(gapStart..<position) }
            found.append(Found(record: record, facts: position..<position + record.factsByteCount, secret: nil))
            partitions.insert(record.partition)
            position += record.factsByteCount
            gapStart = position
        }
        if gapStart < range.upperBound { gaps.append(gapStart..<range.upperBound) }
        return (found, gaps)
    }

    /// Finds the secrets of records in `range`, where they are in the order of the records, and returns the gaps
    /// between them.
    func findSecrets(of found: inout [Found], in range: Range<Int>) throws(StorageError) -> [Range<Int>] {
        var gaps: [Range<Int>] = []
        var next = 0
        var position = range.lowerBound
        var gapStart = position
        var records = found.prefix(Self.soughtRecordCount).map(\.record)
        while position < range.upperBound, next < found.count {
            let rest = bytes.rawSpan.extracting(position..<range.upperBound)
            guard let (number, byteCount) = try examiner.secret(at: rest, of: records) else {
                position += 8
                continue
            }
            if gapStart < position { gaps.append(gapStart..<position) }
            found[next + number].secret = position..<position + byteCount
            next += number + 1
            records = found[next...].prefix(Self.soughtRecordCount).map(\.record)
            position += byteCount
            gapStart = position
        }
        if gapStart < range.upperBound { gaps.append(gapStart..<range.upperBound) }
        return gaps
    }

    /// The journal record of a found record, with its boxes at their current locations.
    func record(_ found: Found, keys: JournalKeys) throws(StorageError) -> JournalRecord {
        return JournalRecord(
            stored: StoredRecord(
                tag: found.record.tag,
                kind: found.record.kind,
                sequence: found.record.sequence,
                facts: location(found.facts),
                secret: found.secret.map { location($0) } ?? .none
            ),
            factsHash: try keys.boxHash(bytes.rawSpan.extracting(found.facts)),
            secretHash: try keys.boxHash(bytes.rawSpan.extracting(found.secret ?? 0..<0)),
            searchTags: found.record.searchTags
        )
    }

    private func location(_ range: Range<Int>) -> BoxLocation {
        BoxLocation(offset: offset + UInt64(range.lowerBound), length: UInt32(range.count))
    }
}
