// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// The decrypted index of a snapshot, searched in place.
///
/// It builds no table and takes 32 bytes per partition and 12 per search tag. Thread-safe.
final class SnapshotIndex: Sendable {
    /// One partition of the snapshot.
    struct Row: Hashable, Sendable {
        var tag: PartitionTag
        var blockOffset: UInt64
        var blockByteCount: UInt32
        var recordCount: UInt32
    }

    let partitionCount: Int
    let searchRowCount: Int
    let recordCount: UInt64
    private let bytes: [UInt8]

    static let fixedByteCount = 16
    static let rowByteCount = 32
    static let searchRowByteCount = 12

    /// The index of a snapshot without records.
    static let empty = SnapshotIndex(unchecked: SnapshotIndexBuilder().encoded())

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
        partitionCount = 0
        searchRowCount = 0
        recordCount = 0
    }

    /// - Throws: ``StorageError/Code/damaged`` if the lengths are inconsistent.
    init(decoding bytes: consuming [UInt8]) throws(StorageError) {
        let partitions: UInt32
        let searches: UInt32
        do {
            let span = bytes.rawSpan
            guard span.byteCount >= Self.fixedByteCount else { throw Self.damaged }
            partitions = span.uint32(at: 0)
            searches = span.uint32(at: 4)
            recordCount = span.uint64(at: 8)
            let rows = UInt64(partitions) * UInt64(Self.rowByteCount)
            let searchRows = UInt64(searches) * UInt64(Self.searchRowByteCount)
            guard UInt64(span.byteCount) == UInt64(Self.fixedByteCount) + rows + searchRows else { throw Self.damaged }
        }
        partitionCount = Int(partitions)
        searchRowCount = Int(searches)
        self.bytes = bytes
    }

    subscript(row: Int) -> Row {
        precondition(row >= 0 && row < partitionCount, "the row does not exist")
        let bytes = bytes
        let span = bytes.rawSpan
        let offset = Self.fixedByteCount + row * Self.rowByteCount
        return Row(
            tag: PartitionTag(first: span.uint64(at: offset), second: span.uint64(at: offset + 8)),
            blockOffset: span.uint64(at: offset + 16),
            blockByteCount: span.uint32(at: offset + 24),
            recordCount: span.uint32(at: offset + 28)
        )
    }

    /// The row of a partition. Takes few steps, because tags are evenly distributed and so a tag's value predicts its
    /// row.
    func row(of tag: PartitionTag) -> Int? {
        guard partitionCount > 0 else { return nil }
        let bytes = bytes
        return Self.find(tag, in: bytes.rawSpan, count: partitionCount)
    }

    private static func find(_ tag: PartitionTag, in bytes: RawSpan, count: Int) -> Int? {
        let key = (tag.first, tag.second)
        let guess = Int(tag.first.multipliedFullWidth(by: UInt64(count)).high)
        // Search outwards from the guess in growing strides, then bisect.
        var low = 0
        var high = count
        var stride = 32
        if tagKey(bytes, guess) < key {
            low = guess + 1
            while low + stride < high, tagKey(bytes, low + stride) < key {
                low += stride + 1
                stride *= 2
            }
            high = min(high, low + stride + 1)
        } else {
            high = guess + 1
            while high - stride > low, tagKey(bytes, high - stride) > key {
                high -= stride
                stride *= 2
            }
            low = max(low, high - stride)
        }
        while low < high {
            let middle = low + (high - low) / 2
            let found = tagKey(bytes, middle)
            if found == key { return middle }
            if found < key { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// The rows of partitions that contain a record with this search tag.
    func rows(under tag: SearchTag) -> [Int] {
        let bytes = bytes
        let span = bytes.rawSpan
        let start = Self.fixedByteCount + partitionCount * Self.rowByteCount
        var low = 0
        var high = searchRowCount
        while low < high {
            let middle = low + (high - low) / 2
            if span.uint64(at: start + middle * Self.searchRowByteCount) < tag.rawValue {
                low = middle + 1
            } else {
                high = middle
            }
        }
        var rows: [Int] = []
        while low < searchRowCount, span.uint64(at: start + low * Self.searchRowByteCount) == tag.rawValue {
            let row = Int(span.uint32(at: start + low * Self.searchRowByteCount + 8))
            if row < partitionCount, rows.last != row { rows.append(row) }
            low += 1
        }
        return rows
    }

    @inline(always)
    private static func tagKey(_ bytes: RawSpan, _ row: Int) -> (UInt64, UInt64) {
        let offset = fixedByteCount + row * rowByteCount
        return (bytes.uint64(at: offset), bytes.uint64(at: offset + 8))
    }

    private static var damaged: StorageError {
        StorageError(.damaged, detail: "the index is malformed")
    }
}
