// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// Builds the facts of a partition from its records in the store.
struct PartitionFactsLoader {
    let codec: RecordCodec
    let clouds: CloudKnowledge
    /// The requesting client, folded.
    let clientID: String

    /// Reads the facts that lookups need. Opens one box for each record that the older facts of the partition do not
    /// contain.
    ///
    /// A record whose facts cannot be read is counted and omitted, so that the others remain usable.
    ///
    /// People's tokens in the partition of an application are omitted too: the application must not get them.
    ///
    /// - Parameters:
    ///   - partition: the partition.
    ///   - store: the store.
    ///   - deadline: the time by which the call returns.
    ///   - older: facts of the partition that were read before.
    ///   - people: the clouds in which a person's entries of the application stand in other partitions, by their preferred
    ///     hosts.
    /// - Returns: the facts.
    /// - Throws: errors of the store, `keyMissing` if the epoch is not unlocked, `forkedProcess` in a forked child.
    func load(
        _ partition: PartitionTag,
        from store: any RecordStore,
        until deadline: Deadline,
        knowing older: PartitionFacts?,
        besidePeopleIn people: Set<UTF8Text> = []
    ) throws(StorageError) -> PartitionFacts {
        guard let older, older.clouds === clouds else {
            let contents = try store.contents(of: partition, until: deadline)
            return try load(contents, of: partition, knowing: nil, people)
        }
        let contents = try store.contents(of: partition, until: deadline, reader: older.reader) {
            older.index(of: $0) != nil
        }
        let known = older.reader === contents.reader ? older : nil
        return try load(contents, of: partition, knowing: known, people)
    }

    private func load(
        _ contents: PartitionContents,
        of partition: PartitionTag,
        knowing older: PartitionFacts?,
        _ people: Set<UTF8Text>
    ) throws(StorageError) -> PartitionFacts {
        let reader = try PartitionReader(contents, codec: codec)
        var older = older.map(RowReuse.init)
        var symbols = SymbolTable()
        var isolations = IsolationTable()
        var rows: [FactsRow] = []
        rows.reserveCapacity(contents.records.count)
        var owner = PartitionOwner()
        var pool = FieldPool.ofOneAccount
        var unreadable: [RecordTag] = []
        for (index, record) in reader.records.enumerated() where isCompared(record.kind) && !record.lacksToken {
            if let row = older?.row(of: record, &symbols) {
                rows.append(row)
                older?.readOwner(of: record, &owner)
                continue
            }
            let reading = try reader.read(index) { (bytes) throws(StorageError) in
                try row(
                    of: OpenedFacts(record, bytes, sharing: &pool),
                    after: rows.last,
                    symbols: &symbols,
                    isolations: &isolations,
                    owner: &owner
                )
            }
            switch reading {
            case .content(let row): if let row { rows.append(row) }
            case .unreadable: unreadable.append(record.tag)
            }
        }
        if owner.homeAccountID == nil, rows.contains(where: \.mayBeOfPerson) {
            rows.removeTokens(besidePeopleIn: people.map { symbols.symbol($0) }, isolations.all)
        }
        rows.rank()
        let mayShareSubject =
            rows.contains { !$0.kind.isInternalRecord && !$0.flags.contains(.microsoft) }
            && owner.homeAccountID.map(HomeAccountID.mayBeSubject) ?? false
        let account = symbols.symbol(owner.homeAccountID)
        let home = symbols.symbol(owner.homeTenant)
        return PartitionFacts(
            partition: partition,
            rows: rows,
            symbols: symbols,
            isolations: isolations.all,
            clouds: clouds,
            homeAccountID: account,
            mayShareSubject: mayShareSubject,
            homeTenant: home,
            damagedCount: unreadable.count,
            isSignInStateDamaged: try isSignInState(among: unreadable, of: partition),
            hasRefusals: contents.records.contains(where: \.kind.isRefusal),
            cloudMetadataSequence: contents.records.first(where: \.kind.isCloudMetadata)?.sequence,
            reader: contents.reader,
            sealer: reader.sealer
        )
    }

    /// Whether one of the records is the client's sign-in state in the partition.
    private func isSignInState(among tags: [RecordTag], of partition: PartitionTag) throws(StorageError) -> Bool {
        if tags.isEmpty { return false }
        return tags.contains(try codec.signInStateTag(clientID: clientID, partition: partition))
    }

    /// Whether lookups compare records of the kind.
    private func isCompared(_ kind: RecordKind) -> Bool {
        if let kind = InternalRecordKind(rawValue: kind.rawValue) { return kind.isComparedByLookups }
        guard let entry = EntryKind(rawValue: kind.rawValue) else { return false }
        return entry.isAccessToken || entry.isRefreshToken || entry.isIDToken || entry == .account
            || entry == .appMetadata || entry == .legacySingleResourceToken
    }

    /// - Returns: nil for a person's token in the partition of an application.
    private func row(
        of opened: OpenedFacts,
        after last: FactsRow?,
        symbols: inout SymbolTable,
        isolations: inout IsolationTable,
        owner: inout PartitionOwner
    ) throws(StorageError) -> FactsRow? {
        let record = opened.record
        var row = FactsRow(tag: record.tag, sequence: record.sequence, secret: record.secret, kind: record.kind)
        switch opened {
        case .internalRecord(let internalRecord):
            switch internalRecord.content {
            case .signInState(let state):
                row.client = symbols.symbol(UTF8Text(state.clientID))
                if state.value == .signedOut { row.flags.insert(.signedOut) }
                if state.value == .signedIn { row.flags.insert(.signedIn) }
                if state.hasLostToken { row.flags.insert(.lostToken) }
            case .tenantNote(let note):
                row.cloud = symbols.symbol(clouds.table.preferredCacheHost(for: UTF8Text(note.environment)))
                row.realm = symbols.symbol(UTF8Text(note.realm))
                row.username = symbols.symbol(UTF8Text(note.name))
            // Lookups compare none of these.
            case .accountWipe, .lastRemoval, .principalAccount, .refusal, .cloudMetadata, .authorities,
                .interaction, .pendingRevocation, .unknown:
                break
            }
        case .entry(let entry):
            fill(&row, fields: entry.fields, after: last, symbols: &symbols)
            if row.mayBeOfPerson, entry.fields.homeAccountID == nil,
                // Only queries that name the assertion match what a service obtained on behalf of a user.
                entry.fields.isolation.assertionHash == nil,
                NamelessToken.isOfPerson(entry.fields, isBesidePerson: { false })
            {
                return nil
            }
            let facts = try entry.facts()
            row.position = facts.position
            if record.kind.isAccessToken, facts.isInSchemeSection { row.flags.insert(.schemeSection) }
            if entry.fields.kind.isCredential, KeyFormat.hasNoSDKFingerprint(facts) {
                row.flags.insert(.hasNoSDKFingerprint)
            }
            if entry.fields.kind.isRefreshToken, !row.flags.contains(.microsoft) {
                row.writtenRealm = symbols.symbol(facts.text(.realm)?.trimmed())
                row.scopes = symbols.symbol(entry.fields.target?.text)
            }
            owner.take(entry.fields, isInKnownCloud: row.flags.contains(.knownCloud))
            row.isolation = isolations.number(of: entry.fields, &symbols)
            if record.kind.isLegacy { row.takeLegacy(facts, &symbols) }
            if record.kind.isAccount, facts.has(.tenantProfiles) {
                let names = AccountFields.usernames(of: facts).map { $0.string + "\n" }
                row.scopes = symbols.symbol(names.isEmpty ? nil : UTF8Text(names.joined()))
                let tenants = AccountFields.tenantProfiles(of: facts).compactMap(\.tenantID.normalizedUnlessBlank)
                row.writtenRealm = symbols.symbol(UTF8Text(tenants.map(\.string).joined(separator: "\n")))
            }
        }
        return row
    }

    private func fill(
        _ row: inout FactsRow,
        fields: CredentialFields,
        after last: FactsRow?,
        symbols: inout SymbolTable
    ) {
        row.client = symbols.symbol(fields.clientID)
        row.environment = symbols.symbol(fields.environment)
        // Entries of one account mostly name one host.
        if let last, last.environment == row.environment, !row.environment.isNone {
            row.cloud = last.cloud
            row.flags.formUnion(last.flags.intersection([.knownCloud, .microsoft]))
        } else if let cloud = clouds.table.cloud(of: fields.environment) {
            row.cloud = symbols.symbol(cloud.preferredCacheHost)
            row.flags.formUnion([.knownCloud, .microsoft])
        } else {
            row.cloud = row.environment
            if MicrosoftHost.isTenantHost(fields.environment) { row.flags.insert(.microsoft) }
        }
        row.realm = symbols.symbol(fields.realm)
        row.family = symbols.symbol(fields.familyID)
        row.tokenType = fields.tokenType == CredentialFields.bearer ? .none : symbols.symbol(fields.tokenType)
        row.username = symbols.symbol(fields.username)
        row.keyID = symbols.symbol(fields.keyID)
        if fields.kind.isAccessToken { row.scopes = symbols.symbol(fields.target?.text) }
        row.expiresOn = fields.expiresOn ?? FactsRow.missing
        row.extendedExpiresOn = fields.extendedExpiresOn ?? FactsRow.missing
        row.refreshOn = fields.refreshOn ?? FactsRow.missing
        row.cachedAt = fields.cachedAt ?? FactsRow.missing
        row.lastModified = fields.lastModificationMicroseconds ?? FactsRow.missing
        if fields.isOfApplication { row.flags.insert(.ofApplication) }
    }
}

extension FactsRow {
    /// Whether the row is an access token that is a person's or an application's if it has no home account id.
    var mayBeOfPerson: Bool { kind.isAccessToken && username.isNone && !flags.contains(.ofApplication) }
}

extension [FactsRow] {
    /// Removes the tokens without a home account id beside which a person's entries stand, in this partition or, for the
    /// clouds given, in others.
    ///
    /// Those that a service obtained on behalf of a user stay, because only queries that name the assertion match them.
    fileprivate mutating func removeTokens(besidePeopleIn clouds: [Symbol], _ isolations: [Isolation<Symbol>]) {
        var people = PeopleBeside<Symbol>()
        for cloud in clouds { people.add(client: nil, cloud: cloud) }
        for row in self {
            guard let kind = row.entryKind, PeopleBeside<Symbol>.isEvidence(kind) else { continue }
            people.add(client: row.client.isNone ? nil : row.client, cloud: row.cloud)
        }
        if people.isEmpty { return }
        removeAll { row in
            let isolation =
                row.isIsolated && Int(row.isolation) <= isolations.count ? isolations[Int(row.isolation) - 1] : nil
            if let isolation, !isolation.assertionHash.isNone { return false }
            return row.mayBeOfPerson && people.contain(client: row.client, cloud: row.cloud)
        }
    }
}

/// The owner of a partition's entries, according to the entries.
struct PartitionOwner {
    private(set) var homeAccountID: UTF8Text? {
        didSet { ownTenant = homeAccountID.flatMap { TenantWord.homeTenant(of: $0) } }
    }
    /// The tenant that the id names.
    private var ownTenant: UTF8Text?
    /// The tenants of known clouds that account entries name.
    private var tenants: Set<UTF8Text> = []

    /// The account's home tenant. If its id names none (a response without `client_info`), this is the only tenant in
    /// which the account has entries; if there are several, the home tenant is unknown.
    var homeTenant: UTF8Text? {
        ownTenant ?? (tenants.count == 1 ? tenants.first : nil)
    }

    mutating func take(_ fields: CredentialFields, isInKnownCloud: Bool) {
        if homeAccountID == nil, let id = fields.homeAccountID { homeAccountID = id }
        guard isInKnownCloud, fields.kind == .account, ownTenant == nil, let realm = fields.realm else { return }
        if TenantWord(realm) == nil { tenants.insert(realm) }
    }

    /// The same for a row that was read before. All entries of a partition that name an account name the same account.
    mutating func take(_ row: FactsRow, of facts: PartitionFacts) {
        if row.kind.isInternalRecord { return }
        if homeAccountID == nil, let id = facts.string(facts.homeAccountID) { homeAccountID = UTF8Text(id) }
        guard row.flags.contains(.knownCloud), row.kind.isAccount, ownTenant == nil,
            let realm = facts.string(row.realm).map({ UTF8Text($0) })
        else { return }
        if TenantWord(realm) == nil { tenants.insert(realm) }
    }
}
