// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

/// One partition's account in a list. Created once, when the partition is read, so that a list only has to decide who
/// is signed in.
struct ListedAccount: Sendable {
    let partition: PartitionTag
    /// The account, marked as signed in because most listed accounts are. ``signIn`` decides whether it is at a given
    /// time.
    let account: Account
    let signIn: SignInFacts
    /// Whether the account is known only from ADAL items.
    let isLegacy: Bool
    /// Usernames of older entries that the profiles do not have.
    private let formerUsernames: [String]

    /// - Returns: nil if the summary has no account.
    init?(_ summary: AccountSummary, in partition: PartitionTag) {
        guard let account = summary.account(isSignedIn: true) else { return nil }
        self.partition = partition
        self.account = account
        signIn = summary.signIn
        isLegacy = summary.isLegacy
        formerUsernames =
            summary.entries.count == account.tenantProfiles.count
            ? []
            : summary.entries.map(\.username).filter { name in !account.tenantProfiles.contains { $0.username == name }
            }
    }

    /// All usernames, folded.
    var usernames: Set<UTF8Text> {
        Set((account.tenantProfiles.compactMap(\.username) + formerUsernames).map { UTF8Text($0).normalized() })
    }
}

extension [ListedAccount] {
    /// The list without ADAL accounts that the unified cache contains under the same username, signed in or not.
    func mergedOverLegacy() -> [ListedAccount] {
        guard contains(where: \.isLegacy) else { return self }
        var known: Set<UTF8Text> = []
        for listed in self where !listed.isLegacy { known.formUnion(listed.usernames) }
        return filter { listed in !listed.isLegacy || listed.usernames.isDisjoint(with: known) }
    }
}

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
