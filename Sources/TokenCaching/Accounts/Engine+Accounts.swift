// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

extension Engine {
    /// The accounts that match a filter, sorted by id.
    ///
    /// An id or a username leads directly to its partition. Without either, every account of the group is read; the
    /// result is cached, and only changes are read the next time.
    func accounts(matching filter: AccountFilter, until deadline: Deadline) throws(StorageError) -> [Account] {
        let now = ClockReading.now(clock)
        let freshness = try freshen(now, until: deadline)
        if let staleness = freshness.staleness { throw staleness.error }
        let known = cloudKnowledge
        let listed: [ListedAccount]
        if let id = filter.id {
            listed = try self.listed(of: id, freshness)
        } else if let username = filter.username {
            listed = try self.listed(in: try partitions(ofUsername: username, freshness), freshness)
        } else {
            listed = try allListed(freshness)
        }
        // Read after the accounts, because reading all accounts from a keyring has read this partition too.
        let group = try facts(of: groupPartition, freshness)
        try addStoredClouds(group, freshness)
        if known !== cloudKnowledge { return try accounts(matching: filter, until: deadline) }
        let families = ClientFamilies(group: group, client: clientBytes)
        let accounts = merged(listed, includesSignedOut: filter.includesSignedOut, families: families, now: now).filter(
            filter.fits
        )
        // The index is sorted, and merging keeps the order.
        return filter.id == nil && filter.username == nil ? accounts : accounts.sorted { $0.precedes($1) }
    }

    /// The accounts in several partitions, merged.
    func merged(
        _ listed: [ListedAccount],
        includesSignedOut: Bool,
        families: ClientFamilies,
        now: ClockReading
    ) -> [Account] {
        let isAnyToMerge = listed.contains { !$0.account.hasHomeAccountID }
        guard isAnyToMerge else {
            var accounts: [Account] = []
            accounts.reserveCapacity(listed.count)
            for one in listed {
                let isSignedIn = one.signIn.isSignedIn(now: now.seconds, families: families)
                if isSignedIn || includesSignedOut { accounts.append(one.account.signedIn(isSignedIn)) }
            }
            return accounts
        }
        // Accounts that are not signed in matter for merging too.
        let candidates = listed.mergedOverLegacy().map {
            AccountCandidate($0, isSignedIn: $0.signIn.isSignedIn(now: now.seconds, families: families))
        }
        return AccountCandidate.merged(candidates).map(\.account)
            .filter { $0.isSignedIn || includesSignedOut }
            .sorted { $0.precedes($1) }
    }

    /// One account, and the entries that older libraries stored under its usernames.
    private func listed(of id: Account.ID, _ freshness: Freshness) throws(StorageError) -> [ListedAccount] {
        let partition = try partition(ofAccount: id.text)
        let own = try wantedSummary(of: partition, freshness)
        var others: Set<PartitionTag> = []
        // The id may be the subject of accounts at issuers, or the username of an account without a home account id.
        let isMicrosofts = own?.entries.allSatisfy { clouds.isMicrosoft(UTF8Text($0.environment)) } ?? false
        if !isMicrosofts, own == nil || HomeAccountID.mayBeSubject(UTF8Text(id.text)) {
            others = try partitions(ofUsername: id.text, freshness).subtracting([partition])
        }
        guard let own else { return try listed(in: others, freshness) }
        for username in Set(own.entries.map { UTF8Text($0.username).normalized() }) where !username.isEmpty {
            others.insert(try codec.partition(ofUsername: username.bytes))
        }
        let listed = try listed(in: others, freshness)
        return [ListedAccount(own, in: partition)].compactMap(\.self) + listed
    }

    func partition(ofAccount identifier: String) throws(StorageError) -> PartitionTag {
        try codec.partition(ofAccount: HomeAccountID.comparable(UTF8Text(identifier)).bytes)
    }

    private func partitions(
        ofUsername username: String,
        _ freshness: Freshness
    ) throws(StorageError) -> Set<PartitionTag> {
        try partitions(ofUsername: UTF8Text(username).normalized(), until: freshness.deadline)
    }

    /// The partitions that may contain accounts with a username, folded.
    func partitions(ofUsername folded: UTF8Text, until deadline: Deadline) throws(StorageError) -> Set<PartitionTag> {
        let tag = try codec.searchTag(username: folded.bytes)
        var partitions = Set(try store.partitions(under: tag, until: deadline))
        partitions.insert(try codec.partition(ofUsername: folded.bytes))
        return partitions
    }

    func listed(
        in partitions: Set<PartitionTag>,
        _ freshness: Freshness
    ) throws(StorageError) -> [ListedAccount] {
        var listed: [ListedAccount] = []
        for partition in partitions {
            guard let summary = try wantedSummary(of: partition, freshness) else { continue }
            if let account = ListedAccount(summary, in: partition) { listed.append(account) }
        }
        return listed
    }

    /// The summary of a requested partition: cached, or read from the store.
    private func wantedSummary(
        of partition: PartitionTag,
        _ freshness: Freshness
    ) throws(StorageError) -> AccountSummary? {
        guard freshness.isSettled else { return try summary(of: partition, freshness, isWanted: true) }
        let (known, moment) = state.withLock { ($0.summary(of: partition), $0.moment) }
        if let known { return known }
        guard let read = try summary(of: partition, freshness, isWanted: true) else { return nil }
        // A record that could not be read may be readable the next time.
        if !read.unreadable.isEmpty { return read }
        state.withLock { $0.keep(read, of: partition, readAt: moment) }
        return read
    }

    /// The summary of a partition; nil if it contains no account.
    ///
    /// A requested account that cannot be read must not count as missing. A list of all accounts omits it, so that the
    /// others can be listed.
    private func summary(
        of partition: PartitionTag,
        _ freshness: Freshness,
        isWanted: Bool = false
    ) throws(StorageError) -> AccountSummary? {
        let contents = try store.contents(of: partition, until: freshness.deadline)
        let reader = try PartitionReader(contents, codec: codec)
        let summary = try self.summary(of: reader, in: partition, client: UTF8Text(foldedClient))
        if isWanted, summary.signIn.isStateDamaged {
            throw StorageError(.damaged, detail: "the sign-in state of the account cannot be read")
        }
        guard summary.entries.isEmpty else { return summary }
        if isWanted, !contents.records.isEmpty {
            let damagedCount = try PartitionEntries(contents, codec: codec).damagedCount
            if damagedCount > 0 {
                throw StorageError(.damaged, detail: "\(damagedCount) entries of the account cannot be read")
            }
        }
        return nil
    }

    /// The summary of a partition's records as a client sees them. It may have no entries.
    func summary(
        of records: some RecordFacts,
        in partition: PartitionTag,
        client: UTF8Text
    ) throws(StorageError) -> AccountSummary {
        var summary = try AccountSummary(records, client: client, clouds: clouds)
        if !summary.unreadable.isEmpty {
            let state = try codec.signInStateTag(clientID: client.string, partition: partition)
            summary.signIn.isStateDamaged = summary.unreadable.contains(state)
        }
        return summary
    }

    private func allListed(_ freshness: Freshness) throws(StorageError) -> [ListedAccount] {
        guard listing.acquire(until: freshness.deadline) else {
            throw StorageError(.timeout, detail: "another thread is reading the accounts of the group")
        }
        defer { listing.release() }
        return try accountIndex.withLock { (index) throws(StorageError) in
            // Take the changes before reading anything, so that later changes are read the next time.
            let changes = takeAccountChanges(freshness)
            do throws(StorageError) {
                try update(&index, changes: changes, freshness: freshness)
            } catch {
                state.withLock { $0.restoreAccountChanges() }
                throw error
            }
            return index.accounts
        }
    }

    private func takeAccountChanges(_ freshness: Freshness) -> StoreChanges {
        let changes = state.withLock { $0.takeAccountChanges() }
        // A transaction of this process may include changes that are not recorded yet: read everything.
        return freshness.isSettled ? changes : .everything
    }

    private func update(
        _ index: inout AccountIndex,
        changes: StoreChanges,
        freshness: Freshness
    ) throws(StorageError) {
        switch changes {
        case .none:
            return
        case .partitions(let partitions):
            index.replace(partitions, with: try listed(partitions, freshness))
        case .everything:
            let partitions = try store.partitionsToRead(until: freshness.deadline)
            index = AccountIndex()
            index = AccountIndex(try listed(partitions.lazy.map(\.tag), freshness))
        }
    }

    /// The accounts in some partitions, without those that cannot be read.
    private func listed(
        _ partitions: some Collection<PartitionTag>,
        _ freshness: Freshness
    ) throws(StorageError) -> [ListedAccount] {
        var read: [ListedAccount] = []
        read.reserveCapacity(partitions.count)
        for partition in partitions where partition != groupPartition {
            guard let summary = try summary(of: partition, freshness) else { continue }
            if let account = ListedAccount(summary, in: partition) { read.append(account) }
        }
        return read
    }
}

extension AccountFilter {
    fileprivate func fits(_ account: Account) -> Bool {
        if id == nil, username == nil, localAccountID == nil, tenant == nil { return true }
        func same(_ one: String?, _ other: String) -> Bool {
            one.map { UTF8Text($0).normalized() == UTF8Text(other).normalized() } ?? false
        }
        if let id, account.id != id, !account.id.isOf(subject: id) { return false }
        if let username, !account.tenantProfiles.contains(where: { same($0.username, username) }) { return false }
        if localAccountID == nil, tenant == nil { return true }
        return account.tenantProfiles.contains { profile in
            (localAccountID.map { same(profile.localAccountID, $0) } ?? true)
                && (tenant.map(profile.isOf) ?? true)
        }
    }
}
