internal import ByteOperations
package import GroupRecords
package import RecordStorage
internal import UnifiedSchema

/// All entries of one partition, their facts opened as far as rows do not tell them: for changes, not for lookups or lists of
/// accounts.
package struct PartitionEntries: Sendable {
    package private(set) var entries: [StoredEntry] = []
    /// Sign-in states of clients.
    package private(set) var states: [(record: StoredRecord, state: SignInRecord)] = []
    /// The last wipe of the account, where it was wiped.
    private(set) var wipe: Tombstone?
    /// The last removal in the group, where anything was removed.
    private(set) var lastRemoval: Tombstone?
    /// The accounts that clients worked with last.
    private(set) var principals: [(record: StoredRecord, account: PrincipalAccount)] = []
    /// What servers refused.
    private(set) var refusals: [(record: StoredRecord, note: RefusalNote)] = []
    /// What texts for tenants mean for the account.
    private(set) var tenantNotes: [(record: StoredRecord, note: TenantNote)] = []
    /// What discovery said of clouds, as far as that is stored and can be read: it can be learnt again.
    private(set) var storedClouds = StoredClouds()
    /// Records whose facts cannot be read.
    private(set) var damagedCount = 0
    /// How many records were opened; of the others rows say enough.
    private(set) var openedCount = 0
    /// All records, also those whose facts cannot be read.
    package let records: [StoredRecord]
    let reader: any BoxReader
    /// Values that the entries have in common.
    private var pool = FieldPool.ofOneAccount

    /// Opens what a store hands out, as far as `isWanted` says. Records whose facts cannot be opened are counted and
    /// passed over: a change heals them, and must not fail because of them.
    ///
    /// - Parameters:
    ///   - contents: what the store hands out.
    ///   - codec: opens it.
    ///   - rows: what is known of it for lookups: tokens of which they say enough stay sealed until somebody asks for more.
    ///   - isWanted: whether records of a kind are to be among them.
    /// - Throws: `keyMissing` where the epoch is not unlocked, `forkedProcess`.
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
    }

    private mutating func take(_ facts: OpenedFacts) {
        openedCount += 1
        switch facts {
        case .entry(let entry): entries.append(entry)
        case .own(let own):
            switch own.content {
            case .signInState(let state): states.append((own.record, state))
            case .accountWipe(let mark): wipe = mark
            case .lastRemoval(let mark): lastRemoval = mark
            case .principalAccount(let account): principals.append((own.record, account))
            case .refusal(let note): refusals.append((own.record, note))
            case .tenantNote(let note): tenantNotes.append((own.record, note))
            case .cloudMetadata(let clouds): storedClouds = clouds
            case .unknown: break
            }
        }
    }

    /// Whether the sign-in state under a tag is there and cannot be read: nobody knows whether that client signed out.
    package func isStateDamaged(_ tag: RecordTag) -> Bool {
        damagedCount > 0 && records.contains { $0.tag == tag } && !states.contains { $0.record.tag == tag }
    }

    /// Whether a mark of this kind is there and cannot be read.
    func isMarkDamaged(_ kind: EngineRecordKind) -> Bool {
        damagedCount > 0 && (kind == .accountWipe ? wipe : lastRemoval) == nil
            && records.contains { $0.kind == kind.recordKind }
    }

    /// The sign-in state of a client, folded; a new one where none was written.
    package func state(of client: String, account: String) -> SignInRecord {
        states.first { $0.state.clientID == client }?.state ?? SignInRecord(clientID: client, account: account)
    }
}

extension PartitionEntries {
    /// What was noted last of a client (folded) in the cloud of a host; nil if nothing was.
    func appMetadata(of client: UTF8Text, in environment: UTF8Text, _ clouds: CloudTable) -> StoredEntry? {
        entries.filter { entry in
            entry.fields.kind == .appMetadata && entry.fields.clientID == client
                && clouds.areAliases(entry.fields.environment, environment)
        }.max { $0.record.sequence < $1.record.sequence }
    }
}

extension Array<StoredRecord> {
    /// Those that have to go, the first ones first, so that with one more there are at most `limit`. Others, which stay in any
    /// case, count, too.
    func surplus(beside otherCount: Int, limit: Int) -> ArraySlice<StoredRecord> {
        prefix(Swift.max(0, count + otherCount + 1 - limit))
    }
}
