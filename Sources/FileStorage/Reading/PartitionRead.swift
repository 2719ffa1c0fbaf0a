internal import RecordStorage

/// A partition that a transaction has read.
struct PartitionRead {
    let partition: PartitionTag
    let content: PartitionView.Content
}
