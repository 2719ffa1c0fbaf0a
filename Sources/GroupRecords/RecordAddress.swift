package import RecordStorage

/// Under which opaque names an entry is stored.
package struct RecordAddress: Hashable, Sendable {
    /// The record: a keyed hash of the entry's section and key.
    package let tag: RecordTag
    /// What it is read together with: as a rule its account.
    package let partition: PartitionTag
    /// Other names under which the partition is found.
    package let searchTags: [SearchTag]

    package init(tag: RecordTag, partition: PartitionTag, searchTags: [SearchTag]) {
        self.tag = tag
        self.partition = partition
        self.searchTags = searchTags
    }
}
