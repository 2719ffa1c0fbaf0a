// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// Iterates over the matching entries of a group, account by account.
struct EntryListing {
    private let store: any RecordStore
    private let codec: RecordCodec
    private let filter: EntryFilter
    private let account: UTF8Text?
    /// Whether the filter names the account by its id with the issuer.
    private var namesIssuer: Bool { account.map { HomeAccountID.atIssuer($0.bytes) != nil } ?? false }
    /// The account's handle, if that is how the filter names it.
    private let handle: AccountHandle?
    private let client: UTF8Text?
    private let tenant: UTF8Text?
    /// Whether an access token in its extended lifetime has not expired yet.
    private let sparesExtendedLifetime: Bool
    /// Says which tokens are applications' own. They belong to no account.
    private var applicationTokens: ApplicationTokens
    /// The tokens that name no account, if the filter names one that has no id. They may be in any partition.
    private var unnamedTokens: UnnamedTokens?
    /// Field values that entries share.
    private var pool = FieldPool()
    /// The number of entries that cannot be read, and so cannot be matched.
    private(set) var unreadableCount = 0
    /// The number of entries read so far, matching or not.
    private(set) var readCount = 0

    init(_ store: any RecordStore, codec: RecordCodec, filter: EntryFilter, sparesExtendedLifetime: Bool = false) {
        self.store = store
        self.codec = codec
        self.filter = filter
        self.sparesExtendedLifetime = sparesExtendedLifetime
        applicationTokens = ApplicationTokens(codec)
        account = filter.account.map { HomeAccountID.comparable(UTF8Text($0)) }
        handle = account.flatMap { AccountHandle($0.string) }
        client = filter.clientID.map { UTF8Text($0).normalized() }
        tenant = filter.tenant.map { UTF8Text($0).normalized() }
    }

    /// The partitions that may contain matching entries. All of them, if the filter names an account without an id.
    ///
    /// - Throws: `invalidRequest` if the filter's tenant cannot be one; errors of the store.
    mutating func partitions(until deadline: Deadline) throws(StorageError) -> [PartitionTag] {
        if let tenant, let defect = QueryDefect.ofTenant(tenant.bytes) {
            throw StorageError(.invalidRequest, detail: defect)
        }
        try findUnnamedTokens(until: deadline)
        if unnamedTokens != nil { return try store.partitionsToRead(until: deadline).map(\.tag) }
        return try accountPartitions(until: deadline)
    }

    /// Finds out which tokens that name no account belong to the account that the filter names. Comes before
    /// ``entries(of:until:)``, unless ``partitions(until:)`` was called.
    mutating func findUnnamedTokens(until deadline: Deadline) throws(StorageError) {
        guard account != nil else { return }
        var entries: [CredentialFields] = []
        for partition in try accountPartitions(until: deadline) {
            entries += try entriesOfPeople(in: partition, until: deadline)
        }
        // An account with an id may have a part without one, under its username.
        for username in Set(entries.lazy.filter { $0.kind == .account }.compactMap(\.username)) {
            entries += try entriesOfPeople(in: try codec.partition(ofUsername: username.bytes), until: deadline)
        }
        guard entries.contains(where: { $0.homeAccountID == nil }) else { return }
        let clouds = try codec.clouds(in: store, at: WallClock.system.now().secondsSince1970, until: deadline)
        unnamedTokens = UnnamedTokens(besides: entries, clouds)
    }

    private func entriesOfPeople(
        in partition: PartitionTag,
        until deadline: Deadline
    ) throws(StorageError) -> [CredentialFields] {
        let reader = try PartitionReader(try store.contents(of: partition, until: deadline), codec: codec)
        var entries: [CredentialFields] = []
        for (index, record) in reader.records.enumerated() {
            guard let kind = EntryKind(rawValue: record.kind.rawValue), PeopleBeside<UTF8Text>.isEvidence(kind),
                let facts = try reader.facts(index).content
            else { continue }
            entries.append(CredentialFields(facts))
        }
        return entries
    }

    /// The partitions of the account that the filter names; otherwise all.
    func accountPartitions(until deadline: Deadline) throws(StorageError) -> [PartitionTag] {
        guard let account else { return try store.partitionsToRead(until: deadline).map(\.tag) }
        // An id with an issuer is never a username.
        if namesIssuer { return [try codec.partition(ofAccount: account.bytes)] }
        var found = [
            try codec.partition(ofAccount: account.bytes), try codec.partition(ofUsername: account.bytes),
        ]
        found += try store.partitions(under: codec.searchTag(username: account.bytes), until: deadline)
        if let handle { found.append(handle.tag) }
        return Array(Set(found)).sorted()
    }

    /// The matching entries of a partition, and the username of the account.
    mutating func entries(
        of partition: PartitionTag,
        until deadline: Deadline
    ) throws(StorageError) -> (entries: [ListedEntry], username: String?, isOfAccount: Bool) {
        let contents = try store.contents(of: partition, until: deadline)
        var entries: [ListedEntry] = []
        var username: (name: UTF8Text, precedence: EntryPrecedence)?
        var usernames: Set<UTF8Text> = []
        var isOfAccount = false
        var isOfSubject = false
        let reader = try PartitionReader(contents, codec: codec)
        for (index, record) in reader.records.enumerated() where !record.kind.isInternalRecord {
            readCount += 1
            let isWanted = mayMatch(record.kind)
            guard isWanted || record.kind == RecordCodec.kind(.account) else { continue }
            guard let facts = try reader.facts(index).content else {
                if isWanted { unreadableCount += 1 }
                continue
            }
            let fields = CredentialFields(facts, sharing: &pool)
            if facts.kind == .account || fields.homeAccountID != nil { isOfAccount = true }
            if let account, let id = fields.homeAccountID {
                isOfSubject = isOfSubject || HomeAccountID.isSubject(account, of: id)
            }
            if facts.kind == .account { usernames.formUnion(AccountFields.usernames(of: facts)) }
            if facts.kind == .account, let name = facts.text(.username), !name.isBlank {
                let precedence = EntryPrecedence(
                    fields,
                    namesUser: true,
                    sequence: record.sequence,
                    position: facts.position
                )
                if username.map({ $0.precedence < precedence }) ?? true { username = (name, precedence) }
            }
            if isWanted, matches(facts, fields) {
                let isApplicationToken = try applicationTokens.contain(fields, in: store, until: deadline)
                if isApplicationToken, account != nil { continue }
                entries.append(
                    ListedEntry(
                        record: record,
                        partition: partition,
                        reader: contents.reader,
                        facts: facts,
                        fields: fields,
                        isApplicationToken: isApplicationToken
                    )
                )
            }
        }
        if !isOfSubject, try !matchesAccount(partition, usernames: usernames) {
            guard let unnamedTokens else { return ([], nil, false) }
            entries.removeAll { !unnamedTokens.contain($0.fields) }
            (username, isOfAccount) = (nil, false)
        }
        // In the order in which they were written.
        entries.sort {
            ($0.record.sequence, $0.facts.position) < ($1.record.sequence, $1.facts.position)
        }
        return (entries, username?.name.string, isOfAccount)
    }

    /// The applications' own tokens in a partition.
    mutating func tokensOfApplications(
        in partition: PartitionTag,
        until deadline: Deadline
    ) throws(StorageError) -> Set<RecordTag> {
        let reader = try PartitionReader(try store.contents(of: partition, until: deadline), codec: codec)
        var tags: Set<RecordTag> = []
        for (index, record) in reader.records.enumerated() {
            guard record.kind.entryKind?.isAccessToken == true else { continue }
            guard let facts = try reader.facts(index).content else { continue }
            if try applicationTokens.contain(CredentialFields(facts), in: store, until: deadline) {
                tags.insert(record.tag)
            }
        }
        return tags
    }

    /// Search tags have only 64 bits, so a partition found by a username may be a false match.
    private func matchesAccount(
        _ partition: PartitionTag,
        usernames: Set<UTF8Text>
    ) throws(StorageError) -> Bool {
        guard let account else { return true }
        if !namesIssuer, usernames.contains(account) || AccountHandle(partition) == handle { return true }
        if try partition == codec.partition(ofAccount: account.bytes) { return true }
        return try partition == codec.partition(ofUsername: account.bytes)
    }

    private func mayMatch(_ kind: RecordKind) -> Bool {
        guard let kinds = filter.kinds else { return true }
        guard let kind = kind.entryKind else { return false }
        return kinds.contains(CachedEntryKind(kind))
    }

    private func matches(_ facts: EntryFacts, _ fields: CredentialFields) -> Bool {
        if let client, fields.clientID != client || fields.kind == .account { return false }
        if let tenant {
            let realms = TenantRealms(meantBy: tenant, homeAccountID: fields.homeAccountID)
            guard let realm = fields.realm, realms.contains(realm) else { return false }
        }
        guard let expiry = filter.expiry else { return true }
        guard fields.kind.isAccessToken else { return false }
        return switch expiry {
        case .expired(let time):
            sparesExtendedLifetime
                ? fields.times.hasEndedForGood(time.secondsSince1970)
                : fields.times.hasEnded(time.secondsSince1970) == true
        case .unexpired(let time): fields.times.hasEnded(time.secondsSince1970) == false
        }
    }
}
