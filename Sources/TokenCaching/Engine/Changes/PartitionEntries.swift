// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import GroupRecords
package import RecordStorage
internal import UnifiedSchema

/// All entries of one partition. Their facts are opened unless the rows contain enough. For changes, not for lookups or
/// lists of accounts.
package struct PartitionEntries: Sendable {
    /// In the order in which they were written.
    package private(set) var entries: [StoredEntry] = []
    /// Sign-in states of clients.
    package private(set) var states: [(record: StoredRecord, state: SignInRecord)] = []
    /// The tombstone of the account's last wipe, if any.
    package private(set) var wipe: Tombstone?
    /// The tombstone of the group's last removal, if any.
    package private(set) var lastRemoval: Tombstone?
    /// The accounts that clients last used.
    private(set) var principals: [(record: StoredRecord, account: PrincipalAccount)] = []
    /// The notes of refusals.
    private(set) var refusals: [(record: StoredRecord, note: RefusalNote)] = []
    /// The tenants that names resolved to for the account.
    private(set) var tenantNotes: [(record: StoredRecord, note: TenantNote)] = []
    /// The stored result of instance discovery; empty if it cannot be read, because it can be learned again.
    private(set) var storedClouds = StoredClouds()
    /// What is stored of authorities; empty if it cannot be read, because users can sign in again.
    private(set) var storedAuthorities = StoredAuthorities()
    /// The notes of processes that are asking, or last asked, the user to sign in.
    private(set) var interactions: [(record: StoredRecord, note: InteractionNote)] = []
    /// The refresh tokens that are not revoked yet.
    private(set) var revocations: [(record: StoredRecord, note: RevocationNote)] = []
    /// The number of records whose facts cannot be read.
    private(set) var damagedCount = 0
    /// The number of records that were opened; for the others the rows contain enough.
    private(set) var openedCount = 0
    /// All records, including those whose facts cannot be read.
    package let records: [StoredRecord]
    package let reader: any BoxReader
    /// Values that entries have in common.
    private var pool = FieldPool.ofOneAccount

    /// Opens the records of the kinds that `isWanted` selects. Records whose facts cannot be opened are counted and
    /// skipped: a change repairs them, and must not fail because of them.
    ///
    /// - Parameters:
    ///   - contents: the records from the store.
    ///   - codec: opens them.
    ///   - rows: cached facts: tokens whose rows contain enough are not opened until more is needed.
    ///   - isWanted: whether to include records of a kind.
    /// - Throws: `keyMissing` if the epoch is not unlocked, `forkedProcess`.
    init(
        _ contents: PartitionContents,
        codec: RecordCodec,
        rows: PartitionFacts? = nil,
        where isWanted: (RecordKind) -> Bool = { _ in true }
    ) throws(StorageError) {
        self.reader = contents.reader
        records = contents.records
        var cachedFields = CachedFields(rows, of: contents)
        let reader = try PartitionReader(contents, codec: codec)
        entries.reserveCapacity(contents.records.count)
        for (index, record) in records.enumerated() where isWanted(record.kind) {
            if let box = contents.facts[index], let entry = cachedFields?.entry(record) {
                let sealed = SealedFacts(box: box, codec: codec, sealer: reader.sealer)
                entries.append(StoredEntry(record, knowing: entry, in: sealed))
                continue
            }
            let reading = try reader.read(index) { (bytes) throws(StorageError) in
                try OpenedFacts(record, bytes, sharing: &pool)
            }
            switch reading {
            case .content(let facts): take(facts)
            case .unreadable: damagedCount += 1
            }
        }
        entries.sort { $0.isOlder(than: $1) }
    }

    /// Opens all records.
    package init(_ contents: PartitionContents, codec: RecordCodec) throws(StorageError) {
        try self.init(contents, codec: codec, rows: nil)
    }

    private mutating func take(_ facts: OpenedFacts) {
        openedCount += 1
        switch facts {
        case .entry(let entry): entries.append(entry)
        case .internalRecord(let internalRecord):
            switch internalRecord.content {
            case .signInState(let state): states.append((internalRecord.record, state))
            case .accountWipe(let mark): wipe = mark
            case .lastRemoval(let mark): lastRemoval = mark
            case .principalAccount(let account): principals.append((internalRecord.record, account))
            case .refusal(let note): refusals.append((internalRecord.record, note))
            case .tenantNote(let note): tenantNotes.append((internalRecord.record, note))
            case .cloudMetadata(let clouds): storedClouds = clouds
            case .authorities(let authorities): storedAuthorities = authorities
            case .interaction(let note): interactions.append((internalRecord.record, note))
            case .pendingRevocation(let note): revocations.append((internalRecord.record, note))
            case .unknown: break
            }
        }
    }

    /// Whether the sign-in state under a tag exists and cannot be read, so that it is unknown whether that client
    /// signed out.
    package func isStateDamaged(_ tag: RecordTag) -> Bool {
        damagedCount > 0 && records.contains { $0.tag == tag } && !states.contains { $0.record.tag == tag }
    }

    /// Whether a tombstone of this kind exists and cannot be read.
    package func isMarkDamaged(_ kind: InternalRecordKind) -> Bool {
        damagedCount > 0 && (kind == .accountWipe ? wipe : lastRemoval) == nil
            && records.contains { $0.kind == kind.recordKind }
    }

    /// The sign-in state of a client, folded; a new one if none was written.
    package func state(of client: String, account: String) -> SignInRecord {
        states.first { $0.state.clientID == client }?.state ?? SignInRecord(clientID: client, account: account)
    }
}

extension PartitionEntries {
    /// The app metadata of a client (folded) that counts in the cloud of a host; nil if there is none.
    func appMetadata(of client: UTF8Text, in environment: UTF8Text, _ clouds: CloudTable) -> StoredEntry? {
        // Of entries with equal precedence, which older versions wrote, the last one, as in lookups.
        allAppMetadata(of: client, in: environment, clouds).reversed().max { $1.precedes($0) }
    }

    /// The app metadata of a client (folded) under all hosts of a cloud.
    func allAppMetadata(of client: UTF8Text, in environment: UTF8Text, _ clouds: CloudTable) -> [StoredEntry] {
        entries.filter { entry in
            entry.fields.kind == .appMetadata && entry.fields.clientID == client
                && clouds.areAliases(entry.fields.environment, environment)
        }
    }

    /// When each of the refusals that are in effect now ends, in seconds since 1970; `nil` for each that is in effect
    /// as long as its refresh token is stored. Notes that only restrict scopes are omitted, because they do not prevent
    /// requests.
    package static func activeRefusalEnds(
        _ contents: PartitionContents,
        codec: RecordCodec,
        now: Int64
    ) throws(StorageError) -> [Int64?] {
        guard contents.records.contains(where: { $0.kind.isRefusal }) else { return [] }
        let stored = try PartitionEntries(contents, codec: codec, where: \.isRefusal)
        return stored.refusals.map(\.note)
            .filter { $0.kind != .scopes && $0.kind != .mismatch && $0.isActive(now, among: contents.records) }
            .map { $0.hasEnd ? $0.period.until : nil }
    }
}

extension Array<StoredRecord> {
    /// The records to remove, in order, so that at most `limit` are left after one more is added. `otherCount` further
    /// records count too, and stay in any case.
    func surplus(beside otherCount: Int, limit: Int) -> ArraySlice<StoredRecord> {
        prefix(Swift.max(0, count + otherCount + 1 - limit))
    }
}
