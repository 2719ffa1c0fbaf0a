// SPDX-License-Identifier: Apache-2.0

/// The records of one partition at one point in time, with the reader of their boxes.
package struct PartitionContents: Sendable {
    /// In ascending order of tag. Empty if the partition does not exist.
    package let records: [StoredRecord]
    /// The sealed facts of `records`, at the same indexes; `nil` if the box cannot be read or was omitted as known.
    package let facts: [[UInt8]?]
    /// Reads the boxes of these records, at any later time.
    package let reader: any BoxReader

    package init(records: [StoredRecord], facts: [[UInt8]?], reader: any BoxReader) {
        self.records = records
        self.facts = facts
        self.reader = reader
    }
}
