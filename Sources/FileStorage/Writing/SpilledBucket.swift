// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// The sorted rows of one bucket: the last operation on each record, by partition and tag.
struct SpilledBucket {
    /// The sort key of a row. It contains no references, so sorting does no reference counting.
    private struct Key {
        var partition: PartitionTag
        var tag: RecordTag
        /// The offset of the row. Later operations have higher offsets.
        var offset: Int

        static func precedes(_ left: Key, _ right: Key) -> Bool {
            if left.partition != right.partition { return left.partition < right.partition }
            if left.tag != right.tag { return left.tag < right.tag }
            return left.offset < right.offset
        }
    }

    private let bytes: [UInt8]
    private var keys: [Key] = []
    /// Secret boxes of records that a later operation of the same transaction replaced or removed.
    private(set) var superseded: [BoxLocation] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var offset = 0
        while offset < bytes.count {
            let start = offset
            let (partition, tag) = SpilledRow.skip(in: bytes.rawSpan, at: &offset)
            keys.append(Key(partition: partition, tag: tag, offset: start))
        }
        keys.sort(by: Key.precedes)
        var count = 0
        for key in keys {
            if count > 0, keys[count - 1].tag == key.tag, keys[count - 1].partition == key.partition {
                let old = row(count - 1).record?.stored.secret ?? .none
                if old.length > 0 { superseded.append(old) }
                keys[count - 1] = key
            } else {
                keys[count] = key
                count += 1
            }
        }
        keys.removeSubrange(count...)
    }

    /// The number of rows.
    var count: Int { keys.count }

    /// The partition of a row. Rows are in ascending order of partition, then tag.
    func partition(_ number: Int) -> PartitionTag { keys[number].partition }

    /// A row.
    func row(_ number: Int) -> SpilledRow {
        var offset = keys[number].offset
        return SpilledRow(in: bytes.rawSpan, at: &offset)
    }

    /// Appends the facts box in this range.
    func appendFacts(at range: Range<Int>, to facts: inout [UInt8]) {
        facts.append(bytes.rawSpan.extracting(range))
    }
}
