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
        var summaries: [AccountSummary]
        if let id = filter.id {
            summaries = try self.summaries(of: id, freshness)
        } else if let username = filter.username {
            summaries = try self.summaries(in: try partitions(ofUsername: username, freshness), freshness)
        } else {
            summaries = try allSummaries(freshness)
        }
        // Read afterwards: reading all accounts from a keyring has read this partition too.
        let group = try facts(of: groupPartition, freshness)
        try takeStoredClouds(group, freshness)
        if known !== cloudKnowledge { return try accounts(matching: filter, until: deadline) }
        let families = ClientFamilies(group: group, client: clientBytes)
        summaries = summaries.mergedOverLegacy()
        // Accounts that are not signed in matter for merging.
        let isAnyToMerge = summaries.contains { $0.homeAccountID == nil }
        let candidates = summaries.compactMap { summary in
            let isSignedIn = summary.isSignedIn(now: now.seconds, families: families)
            guard isSignedIn || filter.includesSignedOut || isAnyToMerge else { return nil as AccountCandidate? }
            return AccountCandidate(summary, isSignedIn: isSignedIn)
        }
        let accounts = AccountCandidate.merged(candidates).map(\.account).filter { account in
            (account.isSignedIn || filter.includesSignedOut) && filter.fits(account)
        }
        return accounts.sorted { $0.precedes($1) }
    }

    /// The summaries of one account, and of entries that older libraries stored under its usernames.
    private func summaries(of id: Account.ID, _ freshness: Freshness) throws(StorageError) -> [AccountSummary] {
        guard let own = try wantedSummary(of: try partition(ofAccount: id.text), freshness) else {
            // It may be the username of an account without a home account id.
            return try summaries(in: try partitions(ofUsername: id.text, freshness), freshness)
        }
        var others: Set<PartitionTag> = []
        for username in Set(own.entries.map { UTF8Text($0.username).normalized() }) where !username.isEmpty {
            others.insert(try codec.partition(ofUsername: username.bytes))
        }
        return [own] + (try summaries(in: others, freshness))
    }

    func partition(ofAccount identifier: String) throws(StorageError) -> PartitionTag {
        try codec.partition(ofAccount: UTF8Text(identifier).normalized().bytes)
    }

    private func partitions(
        ofUsername username: String,
        _ freshness: Freshness
    ) throws(StorageError) -> Set<PartitionTag> {
        let folded = UTF8Text(username).normalized()
        let tag = try codec.searchTag(username: folded.bytes)
        var partitions = Set(try store.partitions(under: tag, until: freshness.deadline))
        partitions.insert(try codec.partition(ofUsername: folded.bytes))
        return partitions
    }

    private func summaries(
        in partitions: Set<PartitionTag>,
        _ freshness: Freshness
    ) throws(StorageError) -> [AccountSummary] {
        var summaries: [AccountSummary] = []
        for partition in partitions {
            if let summary = try wantedSummary(of: partition, freshness) { summaries.append(summary) }
        }
        return summaries
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
    /// A requested account that cannot be read must not count as missing; a list of all accounts omits it, so that the
    /// others can be listed.
    private func summary(
        of partition: PartitionTag,
        _ freshness: Freshness,
        isWanted: Bool = false
    ) throws(StorageError) -> AccountSummary? {
        let contents = try store.contents(of: partition, until: freshness.deadline)
        let reader = try PartitionReader(contents, codec: codec)
        var summary = try AccountSummary(reader, client: UTF8Text(foldedClient), clouds: clouds)
        if !summary.unreadable.isEmpty {
            let state = try codec.signInStateTag(clientID: foldedClient, partition: partition)
            summary.isStateDamaged = summary.unreadable.contains(state)
        }
        if isWanted, summary.isStateDamaged {
            throw StorageError(.damaged, detail: "the sign-in state of the account cannot be read")
        }
        guard summary.entries.isEmpty else { return summary }
        if isWanted {
            let damagedCount = try PartitionEntries(contents, codec: codec).damagedCount
            if damagedCount > 0 {
                throw StorageError(.damaged, detail: "\(damagedCount) entries of the account cannot be read")
            }
        }
        return nil
    }

    private func allSummaries(_ freshness: Freshness) throws(StorageError) -> [AccountSummary] {
        guard listing.acquire(until: freshness.deadline) else {
            throw StorageError(.timeout, detail: "another thread is reading the accounts of the group")
        }
        defer { listing.release() }
        return try accountIndex.withLock { (index) throws(StorageError) in
            // Taken before anything is read: changes from now on are read the next time.
            let changes = takeAccountChanges(freshness)
            do throws(StorageError) {
                try update(&index, changes: changes, freshness: freshness)
            } catch {
                state.withLock { $0.giveBackAccountChanges() }
                throw error
            }
            return Array(index.summaries.values)
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
            for partition in partitions where partition != groupPartition {
                index.put(try summary(of: partition, freshness), for: partition)
            }
        case .everything:
            let partitions = try store.partitionsToRead(until: freshness.deadline)
            index.removeAll(expecting: partitions.count)
            for (partition, _) in partitions where partition != groupPartition {
                index.put(try summary(of: partition, freshness), for: partition)
            }
        }
    }
}

extension AccountFilter {
    fileprivate func fits(_ account: Account) -> Bool {
        func same(_ one: String?, _ other: String) -> Bool {
            one.map { UTF8Text($0).normalized() == UTF8Text(other).normalized() } ?? false
        }
        if let id, account.id != id { return false }
        if let username, !account.tenantProfiles.contains(where: { same($0.username, username) }) { return false }
        if localAccountID == nil, tenant == nil { return true }
        return account.tenantProfiles.contains { profile in
            (localAccountID.map { same(profile.localAccountID, $0) } ?? true)
                && (tenant.map { same(profile.tenant, $0) } ?? true)
        }
    }
}
