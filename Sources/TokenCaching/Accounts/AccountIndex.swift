// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The summaries of all accounts, read once and kept up to date partition by partition.
struct AccountIndex: Sendable {
    private(set) var summaries: [PartitionTag: AccountSummary] = [:]

    /// Sets the summary of a partition; nil if it has no account.
    mutating func put(_ summary: AccountSummary?, for partition: PartitionTag) {
        summaries[partition] = summary
    }

    /// Drops all of them, with space for `count` new ones.
    mutating func removeAll(expecting count: Int) {
        summaries = Dictionary(minimumCapacity: count)
    }
}
