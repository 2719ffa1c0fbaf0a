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
    /// The account's handle, if that is how the filter names it.
    private let handle: AccountHandle?
    private let client: UTF8Text?
    private let tenant: UTF8Text?
    /// Whether an access token in its extended lifetime has not expired yet.
    private let sparesExtendedLifetime: Bool
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
        account = filter.account.map { UTF8Text($0).normalized() }
        handle = account.flatMap { AccountHandle($0.string) }
        client = filter.clientID.map { UTF8Text($0).normalized() }
        tenant = filter.tenant.map { UTF8Text($0).normalized() }
    }

    /// The partitions that may contain matching entries.
    func partitions(until deadline: Deadline) throws(StorageError) -> [PartitionTag] {
        guard let account else { return try store.partitionsToRead(until: deadline).map(\.tag) }
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
                entries.append(
                    ListedEntry(
                        record: record,
                        partition: partition,
                        reader: contents.reader,
                        facts: facts,
                        fields: fields
                    )
                )
            }
        }
        guard try matchesAccount(partition, usernames: usernames) else { return ([], nil, false) }
        // In the order in which they were written.
        entries.sort {
            ($0.record.sequence, $0.facts.position) < ($1.record.sequence, $1.facts.position)
        }
        return (entries, username?.name.string, isOfAccount)
    }

    /// Search tags have only 64 bits, so a partition found by a username may be a false match.
    private func matchesAccount(
        _ partition: PartitionTag,
        usernames: Set<UTF8Text>
    ) throws(StorageError) -> Bool {
        guard let account else { return true }
        if usernames.contains(account) || AccountHandle(partition) == handle { return true }
        if try partition == codec.partition(ofAccount: account.bytes) { return true }
        return try partition == codec.partition(ofUsername: account.bytes)
    }

    private func mayMatch(_ kind: RecordKind) -> Bool {
        guard let kinds = filter.kinds else { return true }
        guard let kind = EntryKind(rawValue: kind.rawValue) else { return false }
        return kinds.contains(CachedEntryKind(kind))
    }

    private func matches(_ facts: EntryFacts, _ fields: CredentialFields) -> Bool {
        if let client, fields.clientID != client || fields.kind == .account { return false }
        if let tenant, fields.realm != tenant { return false }
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
