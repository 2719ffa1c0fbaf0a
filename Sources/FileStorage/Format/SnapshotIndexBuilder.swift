// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// Builds the index of a new snapshot. Append a row for each block as it is written, in ascending order of tag.
struct SnapshotIndexBuilder {
    private var rows: [UInt8] = []
    private var searchRows: [SearchRow] = []
    private(set) var partitionCount: UInt32 = 0
    private(set) var recordCount: UInt64 = 0

    private struct SearchRow {
        var tag: UInt64
        var row: UInt32
    }

    init() {
        rows.append(zeros: SnapshotIndex.fixedByteCount)
    }

    mutating func append(_ row: SnapshotIndex.Row, searchTags: some Sequence<SearchTag>) {
        rows.append(littleEndian: row.tag.first)
        rows.append(littleEndian: row.tag.second)
        rows.append(littleEndian: row.blockOffset)
        rows.append(littleEndian: row.blockByteCount)
        rows.append(littleEndian: row.recordCount)
        let first = searchRows.count
        for tag in searchTags where !searchRows[first...].contains(where: { $0.tag == tag.rawValue }) {
            searchRows.append(SearchRow(tag: tag.rawValue, row: partitionCount))
        }
        partitionCount += 1
        recordCount += UInt64(row.recordCount)
    }

    /// The whole index, once all rows are appended.
    consuming func encoded() -> [UInt8] {
        searchRows.sort { ($0.tag, $0.row) < ($1.tag, $1.row) }
        rows.reserveCapacity(rows.count + searchRows.count * SnapshotIndex.searchRowByteCount)
        for row in searchRows {
            rows.append(littleEndian: row.tag)
            rows.append(littleEndian: row.row)
        }
        rows.put(partitionCount, at: 0)
        rows.put(UInt32(searchRows.count), at: 4)
        rows.put(recordCount, at: 8)
        return rows
    }
}
