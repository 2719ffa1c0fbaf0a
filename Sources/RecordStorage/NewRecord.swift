/// A record to be written. It replaces the one of the same tag in the same partition, if there is one.
package struct NewRecord: Sendable {
    package let tag: RecordTag
    package let partition: PartitionTag
    package let kind: RecordKind
    /// The sealed facts box.
    package let facts: [UInt8]
    /// The sealed secret box; empty where the record has no secret.
    package let secret: [UInt8]
    /// Other names under which ``RecordStore/partitions(under:)`` finds this record's partition.
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
