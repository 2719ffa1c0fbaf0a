// SPDX-License-Identifier: Apache-2.0

/// A record to write. It replaces any record with the same tag in the same partition.
package struct NewRecord: Sendable {
    package let tag: RecordTag
    package let partition: PartitionTag
    package let kind: RecordKind
    /// The sealed facts box.
    package let facts: [UInt8]
    /// The sealed secret box; empty if the record has no secret.
    package let secret: [UInt8]
    /// The tags under which ``RecordStore/partitions(under:until:)`` finds this record's partition.
    package let searchTags: [SearchTag]

    package init(
        tag: RecordTag,
        partition: PartitionTag,
        kind: RecordKind,
        facts: [UInt8],
        secret: [UInt8],
        searchTags: [SearchTag] = []
    ) {
        self.tag = tag
        self.partition = partition
        self.kind = kind
        self.facts = facts
        self.secret = secret
        self.searchTags = searchTags
    }
}

/// A record being copied to another store, with unchanged boxes and the sequence that they were sealed with.
package struct RelocatedRecord: Sendable {
    package let record: NewRecord
    /// The sequence of the transaction that wrote it, which is preserved because the boxes are bound to it.
    package let sequence: UInt64

    package init(_ record: NewRecord, sequence: UInt64) {
        self.record = record
        self.sequence = sequence
    }
}
