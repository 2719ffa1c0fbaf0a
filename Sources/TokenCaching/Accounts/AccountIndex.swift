internal import RecordStorage

/// The summaries of all accounts, read once and kept up to date partition by partition.
struct AccountIndex: Sendable {
    private(set) var summaries: [PartitionTag: AccountSummary] = [:]

    /// Puts in what a partition holds now; nil if it holds nothing.
    mutating func put(_ summary: AccountSummary?, for partition: PartitionTag) {
        summaries[partition] = summary
    }

    /// Forgets all of them; so many are to come.
    mutating func removeAll(expecting count: Int) {
        summaries = Dictionary(minimumCapacity: count)
    }
}
