/// The records of one partition at one moment, with the means to read their boxes.
package struct PartitionContents: Sendable {
    /// In ascending order of tag. Empty for a partition that does not exist.
    package let records: [StoredRecord]
    /// The sealed facts of `records`, index by index; `nil` where the box is damaged beyond reading.
    package let facts: [[UInt8]?]
    /// Reads the boxes of these records, now and later.
    package let reader: any BoxReader

    package init(records: [StoredRecord], facts: [[UInt8]?], reader: any BoxReader) {
        self.records = records
        self.facts = facts
        self.reader = reader
    }
}
