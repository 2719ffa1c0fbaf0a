internal import RecordStorage

/// What a change reads while it is prepared: it holds as long as none of these partitions changes. Of one thread.
final class TransactionReads {
    private(set) var partitions: Set<PartitionTag> = []

    func note(_ partition: PartitionTag) {
        partitions.insert(partition)
    }
}
