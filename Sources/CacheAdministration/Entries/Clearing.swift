// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
public import TokenCaching
internal import UnifiedSchema

/// Removes the entries that match a filter, and records the removal so that a renewal in progress notices it.
struct Clearing {
    let codec: RecordCodec
    let filter: EntryFilter
    let now: Int64
    let group: PartitionTag

    /// Whether the filter selects a whole account. Clearing that is a wipe, which signs every client out.
    private var isWipe: Bool {
        var rest = filter
        rest.account = nil
        return filter.account != nil && rest.isEmpty
    }

    /// Returns what would be removed, and the partitions that contain it.
    func plan(
        _ store: any RecordStore,
        until deadline: Deadline,
        _ meter: inout ProgressMeter
    ) throws(StorageError) -> (report: ClearReport, partitions: Set<PartitionTag>) {
        var listing = EntryListing(store, codec: codec, filter: filter, sparesExtendedLifetime: true)
        var report = ClearReport()
        var witnesses = PersonalWitnesses()
        var partitions: Set<PartitionTag> = []
        var accounts: Set<UTF8Text> = []
        for partition in try listing.partitions(until: deadline) {
            try meter.note(completedBytes: 0, entryCount: report.entryCount)
            let found = try listing.entries(of: partition, until: deadline)
            guard !found.entries.isEmpty else { continue }
            partitions.insert(partition)
            accounts.formUnion(found.entries.compactMap(\.accountName))
            report.count(found.entries, isOfAccount: found.isOfAccount)
            witnesses.note(found.entries)
        }
        if !isWipe {
            for (partition, tokens) in try witnesses.tokens(in: store, codec: codec, until: deadline) {
                partitions.insert(partition)
                report.count(tokens, isOfAccount: false)
            }
        }
        accounts = try concerned(accounts, store, until: deadline)
        report.unreachableCount = filter.isEmpty || isWipe ? 0 : listing.unreadableCount
        report.pendingRevocationCount = try revocationCount(of: accounts, store, until: deadline)
        return (report, partitions)
    }

    /// The accounts that are concerned: those whose entries match, the one that the filter names, and those of which only
    /// revocations are pending.
    ///
    /// - Throws: `severalAccounts` if the filter names a subject that several issuers have.
    private func concerned(
        _ matching: Set<UTF8Text>,
        _ store: any RecordStore,
        until deadline: Deadline
    ) throws(StorageError) -> Set<UTF8Text> {
        guard let name = givenName.first else { return matching }
        var accounts = matching
        if isWipe, HomeAccountID.mayBeSubject(name) {
            let contents = try store.contents(of: group, until: deadline)
            let pending = try PendingRevocation.all(in: contents, codec: codec, now: now)
            accounts.formUnion(
                pending.lazy.map { HomeAccountID.comparable(UTF8Text($0.accountID.text)) }
                    .filter { HomeAccountID.isSubject(name, of: $0) }
            )
        }
        if accounts.count > 1, accounts.contains(where: { HomeAccountID.isSubject(name, of: $0) }) {
            throw StorageError.severalSubjects
        }
        return accounts.union([name])
    }

    /// The number of pending revocations of the accounts that are wiped, by their folded names, or of all.
    private func revocationCount(
        of accounts: Set<UTF8Text>,
        _ store: any RecordStore,
        until deadline: Deadline
    ) throws(StorageError) -> Int {
        guard isWipe || filter.isEmpty else { return 0 }
        let contents = try store.contents(of: group, until: deadline)
        // Those that expired, or cannot be read, go too.
        if filter.isEmpty { return contents.records.count { $0.kind.isPendingRevocation } }
        return try PendingRevocation.all(in: contents, codec: codec, now: now)
            .count { accounts.contains(HomeAccountID.comparable(UTF8Text($0.accountID.text))) }
    }

    /// The name of the account that is wiped, as it was given.
    private var givenName: Set<UTF8Text> {
        Set([filter.account.map { HomeAccountID.comparable(UTF8Text($0)) }].compactMap(\.self))
    }

    /// Removes everything in the group.
    func removeAll(_ transaction: inout Transaction) throws(StorageError) {
        try transaction.removeAll()
        try transaction.noteRemoval(.group, by: "", at: now, group: group)
    }

    /// Removes the matching entries, under the writer's lock. Searches only `candidates`, or everything if that is nil.
    func remove(
        _ transaction: inout Transaction,
        store: any RecordStore,
        candidates: Set<PartitionTag>?
    ) throws(StorageError) -> ClearReport {
        var listing = EntryListing(store, codec: codec, filter: filter, sparesExtendedLifetime: true)
        var report = ClearReport()
        let deadline = transaction.context.deadline
        let all = try candidates == nil ? listing.partitions(until: deadline) : nil
        if all == nil { try listing.findUnnamedTokens(until: deadline) }
        let locations = all ?? candidates?.sorted() ?? []
        var witnesses = PersonalWitnesses()
        var accounts: Set<UTF8Text> = []
        for partition in locations {
            let found = try listing.entries(of: partition, until: deadline)
            guard !found.entries.isEmpty else { continue }
            accounts.formUnion(found.entries.compactMap(\.accountName))
            report.count(found.entries, isOfAccount: found.isOfAccount)
            witnesses.note(found.entries)
            // The others are tokens that name no account.
            if isWipe, found.isOfAccount || found.entries.contains(where: { $0.fields.username != nil }) {
                try wipe(
                    partition,
                    sparing: try listing.tokensOfApplications(in: partition, until: deadline),
                    &transaction
                )
            } else {
                try remove(found.entries, in: partition, &transaction)
            }
        }
        if !isWipe {
            for (partition, tokens) in try witnesses.tokens(in: store, codec: codec, until: deadline) {
                report.count(tokens, isOfAccount: false)
                try remove(tokens, in: partition, &transaction)
            }
        }
        accounts = try concerned(accounts, store, until: deadline)
        report.unreachableCount = isWipe ? 0 : listing.unreadableCount
        if isWipe {
            report.pendingRevocationCount = try revocationCount(of: accounts, store, until: deadline)
            try transaction.removeRevocations(in: group) { note in
                !note.counts(at: now) || accounts.contains { note.isOf(account: $0) }
            }
        }
        return report
    }

    private func remove(
        _ entries: [ListedEntry],
        in partition: PartitionTag,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        var clients: Set<UTF8Text> = []
        var isFamilyConcerned = false
        for entry in entries {
            try transaction.remove(entry.record.tag, in: partition, erasingSecret: true)
            if entry.facts.kind.isRefreshToken { clients.insert(entry.fields.clientID) }
            // Family members redeem ADAL's tokens too.
            if entry.fields.isFamilyToken || entry.fields.namesFamily { isFamilyConcerned = true }
        }
        guard !clients.isEmpty else { return }
        // A renewal that began earlier must not restore the token that it redeems.
        let stored = try transaction.entries(of: partition)
        if isFamilyConcerned { clients.formUnion(stored.states.map { UTF8Text($0.state.clientID) }) }
        let account = entries[0].fields.homeAccountID ?? entries[0].fields.username ?? ""
        for client in clients {
            let state = stored.state(of: client.string, account: account.string)
            let tag = try codec.signInStateTag(clientID: client.string, partition: partition)
            // An unreadable state may mean that the client is signed out.
            let value = stored.isStateDamaged(tag) ? .signedOut : state.value
            let tags = Set(entries.map(\.record.tag))
            let tokens = stored.tokenNumbers(codec) { $0.fields.clientID == client && tags.contains($0.record.tag) }
            let removed = state.removed(to: value, at: now, in: transaction.context.sequence, taking: tokens)
            try transaction.put(removed, in: partition)
        }
        try transaction.noteRemoval(.signOut, by: "", at: now, group: group)
    }

    private func wipe(
        _ partition: PartitionTag,
        sparing spared: Set<RecordTag>,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        let stored = try transaction.entries(of: partition)
        try wipe(partition, stored: stored, sparing: spared, transaction: &transaction)
        // Older libraries stored some of the account's entries only under a username.
        var usernames: Set<UTF8Text> = []
        for entry in stored.entries where entry.fields.kind == .account {
            if let username = entry.fields.username { usernames.insert(username) }
        }
        for username in usernames.sorted() {
            let location = try codec.partition(ofUsername: username.bytes)
            let items = try transaction.entries(of: location)
            if location != partition, !items.records.isEmpty {
                try wipe(location, stored: items, transaction: &transaction)
            }
        }
        let id = stored.entries.lazy.compactMap(\.fields.homeAccountID).first
        let traces = AccountTraces(codec: codec, group: group)
        if let account = id ?? usernames.sorted().first {
            try traces.remove(of: account, isUsername: id == nil, &transaction)
        }
        try transaction.noteRemoval(.account, by: "", at: now, group: group)
    }

    private func wipe(
        _ partition: PartitionTag,
        stored: PartitionEntries,
        sparing spared: Set<RecordTag> = [],
        transaction: inout Transaction
    ) throws(StorageError) {
        let named = stored.entries.lazy.compactMap { $0.fields.homeAccountID ?? $0.fields.username }.first
        let removal = AccountRemoval(
            partition: partition,
            account: stored.states.first?.state.account ?? named?.string ?? "",
            codec: codec,
            client: "",
            now: now
        )
        try removal.wipe(stored, sparing: spared, &transaction)
    }
}

extension ListedEntry {
    /// The home account id or the username, folded.
    fileprivate var accountName: UTF8Text? { fields.homeAccountID ?? fields.username }
}

extension ClearReport {
    fileprivate mutating func count(_ entries: [ListedEntry], isOfAccount: Bool) {
        for entry in entries { entryCounts[CachedEntryKind(entry.facts.kind), default: 0] += 1 }
        if isOfAccount, entries.contains(where: { !$0.isApplicationToken }) { accountCount += 1 }
    }
}

/// What a clearing removed, or would remove.
public struct ClearReport: Hashable, Sendable {
    /// The number of removed entries of each kind.
    public internal(set) var entryCounts: [CachedEntryKind: Int] = [:]
    /// The number of accounts with removed entries.
    public internal(set) var accountCount = 0
    /// Entries that cannot be read, and so could not be matched. They stay.
    public internal(set) var unreachableCount = 0
    /// The number of removed `PendingRevocation`s, which are not entries.
    public internal(set) var pendingRevocationCount = 0
    /// Why the keys of an emptied group stayed; `nil` if they were changed, or if nothing called for that.
    public internal(set) var keyChangeFailure: TokenCacheError?
    /// The old key files that were not removed, because the folder is a copy; see ``RekeyReport/keptKeyFiles``. What the
    /// disk keeps of removed entries opens with them.
    public internal(set) var keptKeyFiles: [String] = []

    /// The total number of removed entries.
    public var entryCount: Int { entryCounts.values.reduce(0, +) }

    init() {}
}
