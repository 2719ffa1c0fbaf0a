// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// All accounts, read once and kept up to date partition by partition.
struct AccountIndex: Sendable {
    /// Sorted by id.
    private(set) var accounts: [ListedAccount] = []

    init() {}

    init(_ accounts: [ListedAccount]) {
        self.accounts = accounts
        sort()
    }

    /// Replaces the accounts of some partitions with those that were just read.
    mutating func replace(_ partitions: Set<PartitionTag>, with read: [ListedAccount]) {
        accounts.removeAll { partitions.contains($0.partition) }
        accounts += read
        sort()
    }

    /// Indices are sorted, because moving an account costs more than comparing two.
    private mutating func sort() {
        let order = accounts.indices.sorted { accounts[$0].account.precedes(accounts[$1].account) }
        if order.elementsEqual(accounts.indices) { return }
        accounts = order.map { accounts[$0] }
    }
}
