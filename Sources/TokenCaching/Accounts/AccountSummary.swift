// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// The data of one partition that listing accounts needs: its account entries, and what decides whether a client is
/// signed in.
struct AccountSummary: Sendable {
    /// One account entry of a document.
    struct Entry: Sendable {
        let environment: String
        let realm: String
        var localAccountID: String?
        var username: String
        var name: String?
        var givenName: String?
        var familyName: String?
        var middleName: String?
        /// As stored; nil for an account without one.
        var homeAccountID: String?
        /// Of several entries of one tenant, the greatest counts.
        var precedence: EntryPrecedence

        /// Fills in missing values from an older entry of the same tenant.
        mutating func fill(from older: Entry) {
            if username.isEmpty { username = older.username }
            localAccountID = localAccountID ?? older.localAccountID
            name = name ?? older.name
            givenName = givenName ?? older.givenName
            familyName = familyName ?? older.familyName
            middleName = middleName ?? older.middleName
        }
    }

    /// The one with the greatest precedence first; of several with the same one, the last one first.
    private(set) var entries: [Entry] = []
    /// What decides whether the client is signed in.
    var signIn = SignInFacts()
    /// Records needed for the summary that cannot be read.
    private(set) var unreadable: [RecordTag] = []

    /// Whether the account is known only from ADAL items.
    private(set) var isLegacy = false
    private let clouds: CloudTable

    /// A summary without any entries.
    init(clouds: CloudTable) {
        self.clouds = clouds
    }

    /// Reads a partition. Records that do not matter to the summary stay sealed: id tokens, and also access tokens if
    /// other records show whether the client is signed in.
    ///
    /// - Parameters:
    ///   - reader: the records of the partition.
    ///   - client: the requesting client, folded.
    ///   - clouds: the known clouds.
    /// - Throws: `forkedProcess` in a forked child.
    init(_ reader: some RecordFacts, client: UTF8Text, clouds: CloudTable) throws(StorageError) {
        self.init(clouds: clouds)
        var legacy: [LegacyEntry] = []
        for (index, record) in reader.records.enumerated() where record.kind.isOfAccount && !record.lacksToken {
            let reading = try reader.read(index) { (bytes) throws(StorageError) in
                try take(record, bytes: bytes, client: client, legacy: &legacy)
            }
            if case .unreadable = reading { unreadable.append(record.tag) }
        }
        // The unified cache takes precedence.
        if entries.isEmpty, !legacy.isEmpty {
            isLegacy = true
            for item in legacy { insert(item.entry) }
            signIn.hasRefreshToken = signIn.hasRefreshToken || legacy.contains(where: \.hasRefreshToken)
        }
        try readSiblings(reader)
        if !entries.isEmpty, !signIn.isSignedOut, !signIn.isMarkedSignedIn, !signIn.hasRefreshToken {
            for (index, record) in reader.records.enumerated()
            where record.kind.isAccessToken && !record.lacksToken {
                let reading = try reader.read(index) { (bytes) throws(StorageError) in
                    let holder = try Self.holder(bytes, client)
                    return (holder, isOfAccount: holder.isOwn ? try isOfAccount(bytes) : false)
                }
                switch reading {
                case .content(let (holder, isOfAccount)):
                    if isOfAccount { signIn.noteAccessToken(until: holder.expiresOn) }
                case .unreadable: unreadable.append(record.tag)
                }
            }
        }
    }

    private mutating func take(
        _ record: StoredRecord,
        bytes: [UInt8],
        client: UTF8Text,
        legacy: inout [LegacyEntry]
    ) throws(StorageError) {
        switch EntryKind(rawValue: record.kind.rawValue) {
        case .account:
            try takeAccount(bytes, sequence: record.sequence)
        case .legacySingleResourceToken:
            let facts = try RecordCodec.decoding(try EntryFacts(decoding: bytes))
            if let entry = Self.legacyEntry(facts, client: client, sequence: record.sequence) { legacy.append(entry) }
        case .some:
            signIn.noteRefreshToken(try Self.holder(bytes, client), clouds)
        case nil:
            let state = try SignInRecord(decoding: bytes)
            guard UTF8Text(state.clientID) == client else { return }
            signIn.note(state)
        }
    }

    /// Whether an access token is the account's, not an application's own, which may stand beside an account that has
    /// neither an id nor a username.
    private func isOfAccount(_ token: [UInt8]) throws(StorageError) -> Bool {
        if entries.contains(where: { $0.homeAccountID != nil }) { return true }
        let fields = CredentialFields(try RecordCodec.entryFacts(token))
        return fields.username != nil
            || NamelessToken.isOfPerson(fields) {
                entries.contains { clouds.areAliases(UTF8Text($0.environment), fields.environment) }
            }
    }

    private static func holder(_ bytes: [UInt8], _ client: UTF8Text) throws(StorageError) -> TokenHolder {
        try RecordCodec.decoding(try TokenHolder(decoding: bytes.rawSpan, client: client))
    }

    private mutating func takeAccount(_ bytes: [UInt8], sequence: UInt64) throws(StorageError) {
        let account = try RecordCodec.decoding(try AccountFields(decoding: bytes.rawSpan))
        takeAccount(account, sequence: sequence)
        guard account.hasTenantProfiles, let facts = try? EntryFacts(decoding: bytes) else { return }
        takeProfiles(of: facts, account, sequence: sequence)
    }

    /// Adds an account entry. If an SDK stores one entry with a profile for each tenant, adds all of these.
    mutating func takeAccount(_ facts: EntryFacts, sequence: UInt64) {
        guard let account = AccountFields(facts) else { return }
        takeAccount(account, sequence: sequence)
        if account.hasTenantProfiles { takeProfiles(of: facts, account, sequence: sequence) }
    }

    private mutating func takeAccount(_ account: AccountFields, sequence: UInt64) {
        insert(
            Entry(
                environment: account.environment?.string ?? "",
                realm: tenant(account.realm, of: account),
                localAccountID: account.localAccountID?.string,
                username: account.username?.normalizedUnlessBlank == nil ? "" : account.username?.string ?? "",
                name: account.name?.string,
                givenName: account.givenName?.string,
                familyName: account.familyName?.string,
                middleName: account.middleName?.string,
                homeAccountID: account.homeAccountID?.trimmed().string,
                precedence: account.precedence(sequence: sequence)
            )
        )
    }

    private mutating func insert(_ entry: Entry) {
        let next = entries.indices.first { !(entry.precedence < entries[$0].precedence) }
        if let next { entries.insert(entry, at: next) } else { entries.append(entry) }
    }

    /// The tenant of an account entry or of one of its profiles. Some libraries store the word that the application asked
    /// for, which means the home tenant here as it does for lookups.
    private func tenant(_ stored: UTF8Text?, of account: AccountFields) -> String {
        guard let stored else { return "" }
        guard let word = TenantWord(stored), let id = account.homeAccountID else { return stored.string }
        return word.realm(homeAccountID: id)?.string ?? stored.string
    }

    private mutating func takeProfiles(of facts: EntryFacts, _ account: AccountFields, sequence: UInt64) {
        let own = tenant(account.realm, of: account)
        for profile in AccountFields.tenantProfiles(of: facts) {
            let tenant = tenant(profile.tenantID, of: account)
            if UTF8Text(tenant).normalized() == UTF8Text(own).normalized() { continue }
            insert(
                Entry(
                    environment: account.environment?.string ?? "",
                    realm: tenant,
                    localAccountID: profile.localAccountID?.string,
                    username: profile.username?.normalizedUnlessBlank == nil ? "" : profile.username?.string ?? "",
                    name: profile.name?.string,
                    homeAccountID: account.homeAccountID?.trimmed().string,
                    precedence: account.precedence(sequence: sequence)
                )
            )
        }
    }

    /// The account; nil if the partition has no account entry.
    func account(isSignedIn: Bool) -> Account? {
        guard !entries.isEmpty else { return nil }
        let homeAccountID = homeAccountID
        let home = homeAccountID.flatMap { TenantWord.homeTenant(of: UTF8Text($0)) }
        let tenants = tenantEntries
        let id =
            homeAccountID.map { Account.ID(trimmed: $0) }
            ?? Account.ID(tenants.lazy.map(\.username).first { !$0.isEmpty } ?? "")
        var profiles = tenants.map { entry in
            TenantProfile(
                accountID: id,
                tenant: entry.realm,
                environment: entry.environment,
                localAccountID: entry.localAccountID,
                username: entry.username.isEmpty ? nil : entry.username,
                name: entry.name,
                givenName: entry.givenName,
                familyName: entry.familyName,
                middleName: entry.middleName,
                isHome: home.map { $0 == UTF8Text(entry.realm).normalized() } ?? (tenants.count == 1)
            )
        }
        // Stable: the others keep their order.
        profiles.sort { $0.isHome && !$1.isHome }
        return Account(
            id: id,
            hasHomeAccountID: homeAccountID != nil,
            username: profiles.lazy.compactMap(\.username).first,
            environment: profiles[0].environment,
            tenantProfiles: profiles,
            isSignedIn: isSignedIn
        )
    }

    /// As stored in the entry that counts; nil for an account without one. The spellings differ at most in case.
    var homeAccountID: String? {
        for index in entries.indices {
            if let id = entries[index].homeAccountID { return id }
        }
        return nil
    }

    /// Reads when the newest access token was cached under each host, if that decides which entry of a tenant counts.
    private mutating func readSiblings(_ reader: some RecordFacts) throws(StorageError) {
        guard let first = entries.first, entries.contains(where: { $0.environment != first.environment }),
            entries.filter({ !$0.precedence.age.isKnown }).count > 1
        else { return }
        var newest: [UTF8Text: EntryAge] = [:]
        for (index, record) in reader.records.enumerated()
        where record.kind.isAccessToken && !record.lacksToken {
            let reading = try reader.read(index) { (bytes) throws(StorageError) in
                let fields = CredentialFields(try RecordCodec.entryFacts(bytes))
                return (fields.environment, EntryAge(fields.times))
            }
            guard let (environment, age) = reading.content else { continue }
            newest[environment] = max(newest[environment] ?? age, age)
        }
        for index in entries.indices where !entries[index].precedence.age.isKnown {
            let age = newest[UTF8Text(entries[index].environment).normalized()]
            entries[index].precedence.siblingAge = age ?? .unknown
        }
        // Sorting keeps equal elements in order.
        entries.sort { $1.precedence < $0.precedence }
    }

    /// One entry for each tenant and cloud. If several are stored, perhaps under different hosts of the cloud, the one
    /// with the highest precedence counts, usually the newest, and the next ones supply the values that it lacks.
    private var tenantEntries: [Entry] {
        if entries.count == 1 { return entries }
        var merged: [Entry] = []
        var tenants: [(realm: UTF8Text, environment: UTF8Text)] = []
        merged.reserveCapacity(entries.count)
        tenants.reserveCapacity(entries.count)
        for entry in entries {
            let realm = UTF8Text(entry.realm).normalized()
            let environment = UTF8Text(entry.environment)
            // An account is in few tenants, so comparing them costs less than hashing each.
            let location = tenants.firstIndex { $0.realm == realm && clouds.areAliases($0.environment, environment) }
            if let location {
                merged[location].fill(from: entry)
            } else {
                tenants.append((realm, environment))
                merged.append(entry)
            }
        }
        return merged
    }
}

extension RecordKind {
    /// Whether listing accounts reads all records of the kind, internal or not.
    var isOfAccount: Bool {
        if let kind = InternalRecordKind(rawValue: rawValue) { return kind.isReadByAccountLists }
        switch EntryKind(rawValue: rawValue) {
        case .account, .refreshToken, .familyRefreshToken, .legacySingleResourceToken: return true
        default: return false
        }
    }
}

extension AccountSummary {
    /// An account that only ADAL stored.
    struct LegacyEntry: Sendable {
        let entry: Entry
        /// Whether there is a refresh token that the requesting client obtained.
        let hasRefreshToken: Bool
    }

    /// The account of an ADAL item; nil if it has no user.
    static func legacyEntry(_ facts: EntryFacts, client: UTF8Text, sequence: UInt64) -> LegacyEntry? {
        guard let item = LegacyTokenView(facts), let user = item.userID?.trimmed(), !user.isEmpty else { return nil }
        let fields = CredentialFields(facts)
        let names = [item.givenName, item.familyName].compactMap { $0?.string }.filter { !$0.isEmpty }
        return LegacyEntry(
            entry: Entry(
                environment: fields.environment.string,
                realm: item.tenantID?.string ?? fields.realm?.string ?? "",
                localAccountID: item.objectID?.string,
                username: user.string,
                name: names.isEmpty ? nil : names.joined(separator: " "),
                givenName: item.givenName?.string,
                familyName: item.familyName?.string,
                precedence: EntryPrecedence(
                    fields,
                    namesUser: false,
                    sequence: sequence,
                    position: facts.position
                )
            ),
            hasRefreshToken: item.hasRefreshToken && fields.clientID == client
        )
    }
}

extension AccountFields {
    /// A missing username does not count: it is filled in from another entry.
    fileprivate func precedence(sequence: UInt64) -> EntryPrecedence {
        EntryPrecedence(age: age, naming: .nothing, sequence: sequence, position: position)
    }
}
