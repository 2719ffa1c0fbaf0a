/// What a store knows of one record: opaque names, a number that orders its versions, and where its boxes lie.
package struct StoredRecord: Hashable, Sendable {
    package let tag: RecordTag
    package let kind: RecordKind
    /// The sequence of the transaction that wrote this version. Never restarts, not at compaction, repair or rekey.
    package let sequence: UInt64
    /// The box that lookups open.
    package let facts: BoxLocation
    /// The box that is opened only at hand-out; ``BoxLocation/none`` where a record has no secret.
    package let secret: BoxLocation

    package init(tag: RecordTag, kind: RecordKind, sequence: UInt64, facts: BoxLocation, secret: BoxLocation) {
        self.tag = tag
        self.kind = kind
        self.sequence = sequence
        self.facts = facts
        self.secret = secret
    }
}

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
