// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// Imports what MSAL for ObjC stores about accounts besides their tokens: which clients are signed in, and what
/// authority addresses resolved to. Lookups use only internal records, which are written if there are none yet. The
/// entry itself is stored like any other, but says of accounts with a record what that says: an export and a lookup
/// must not differ.
struct ImportedMetadata {
    /// What an import has written under a tag.
    private struct Written {
        /// The age of the entry that says it; nil if only tokens do.
        let age: EntryAge?
        /// Nil for a tenant note.
        let state: SignInRecord.Value?
    }

    private let codec: RecordCodec
    private let clouds: CloudTable
    /// Whether the document overrides existing records.
    private let isForced: Bool
    private let now: Int64
    private var written: [RecordTag: Written] = [:]
    /// The entries of the document.
    private var entries: Set<RecordTag> = []
    /// The age of the entry that is being imported.
    private var age = EntryAge.unknown
    /// How many more tenant notes an account may have.
    private var noteRoom: [PartitionTag: Int] = [:]

    init(codec: RecordCodec, clouds: CloudTable, isForced: Bool, now: Int64) {
        self.codec = codec
        self.clouds = clouds
        self.isForced = isForced
        self.now = now
    }

    /// Imports an entry that is being written, or is stored as it is. Its tag may be nil if the store was empty.
    mutating func take(
        _ facts: EntryFacts,
        at tag: RecordTag?,
        _ issuers: DocumentIssuers,
        _ window: inout PartitionWindow,
        output: EntryOutput
    ) throws(StorageError) {
        guard let metadata = AccountMetadataView(facts) else { return }
        if let tag { entries.insert(tag) }
        let client = metadata.clientID?.normalized().string
        age = EntryAge(CredentialFields(facts).times)
        for account in metadata.accounts {
            let own = HomeAccountID.comparable(account.homeAccountID)
            guard !own.isEmpty else { continue }
            // That SDK knows no issuers.
            for id in [own] + issuers.ids(ofSubject: own).sorted() {
                try take(account, of: id, client: client, &window, output: output)
            }
        }
    }

    /// Signs a client in again whose tokens are in the document of a forced import, unless the document says which state
    /// it is in.
    mutating func lift(_ signOut: StoredPartition.SignOut, _ output: EntryOutput) throws(StorageError) {
        guard let state = signOut.state, written[signOut.address.tag] == nil else { return }
        written[signOut.address.tag] = Written(age: nil, state: .signedIn)
        try put(state.changed(to: .signedIn, at: now), at: signOut.address, output)
    }

    /// The entry with the states that the group knows and the import does not change. Nil if it says no other ones.
    func agreed(_ facts: EntryFacts, _ window: inout PartitionWindow) throws(StorageError) -> EntryFacts? {
        if isForced { return nil }
        return try agreed(facts) { (address) throws(StorageError) in
            try window.partition(address.partition)?.signInState(address.tag)?.content?.value
        }
    }

    /// Changes the stored entries that are not in the document so that they say the states that it decided.
    func finish(_ window: inout PartitionWindow, _ output: EntryOutput) throws(StorageError) {
        guard isForced, !written.isEmpty, let group = try window.partition(codec.groupPartition()) else { return }
        for record in group.records where record.kind.isAccountMetadata && !entries.contains(record.tag) {
            guard let old = try group.facts(record.tag)?.content,
                let facts = try agreed(old, with: { written[$0.tag]?.state })
            else { continue }
            let address = RecordAddress(tag: record.tag, partition: group.tag, searchTags: [])
            if let secret = try codec.openSecret(of: record, reader: group.boxes) {
                try output.put(facts, position: old.position, payload: secret.bytes, at: address)
            } else {
                try output.put(facts, position: old.position, payload: RawSpan(), at: address)
            }
        }
    }

    private func agreed(
        _ facts: EntryFacts,
        with state: (RecordAddress) throws(StorageError) -> SignInRecord.Value?
    ) throws(StorageError) -> EntryFacts? {
        guard let metadata = AccountMetadataView(facts), let client = metadata.clientID?.normalized().string,
            var change = AccountMetadataChange(facts)
        else { return nil }
        var isChanged = false
        for account in metadata.accounts {
            let id = HomeAccountID.comparable(account.homeAccountID)
            guard !id.isEmpty, let imported = SignInRecord.Value(account.signInState),
                let known = try state(address(of: client, id)), known != .unknown, known != imported
            else { continue }
            change.setSignInState(known == .signedIn ? .signedIn : .signedOut, ofAccount: id)
            isChanged = true
        }
        return isChanged ? change.facts : nil
    }

    /// Where the state of a client is recorded.
    private func address(of client: String, _ account: UTF8Text) throws(StorageError) -> RecordAddress {
        let partition = try codec.partition(ofAccount: account.bytes)
        let tag = try codec.signInStateTag(clientID: client, partition: partition)
        return RecordAddress(tag: tag, partition: partition, searchTags: [])
    }

    private mutating func take(
        _ account: AccountMetadataView.Account,
        of id: UTF8Text,
        client: String?,
        _ window: inout PartitionWindow,
        output: EntryOutput
    ) throws(StorageError) {
        let partition = try codec.partition(ofAccount: id.bytes)
        let stored = try window.partition(partition)
        if let client, let value = SignInRecord.Value(account.signInState) {
            try write(value, of: client, id, stored, output)
        }
        if account.signInState == .signedOut { return }
        for meaning in account.meanings {
            guard let note = note(meaning, of: id) else { continue }
            try write(note, in: partition, stored, output)
        }
    }

    private mutating func write(
        _ value: SignInRecord.Value,
        of client: String,
        _ account: UTF8Text,
        _ stored: StoredPartition?,
        _ output: EntryOutput
    ) throws(StorageError) {
        var state = SignInRecord(clientID: client, account: account.string)
        let address = try address(of: client, account)
        if let reading = try stored?.signInState(address.tag) {
            // An unreadable state may mean "signed out".
            guard let known = reading.content, isForced || known.value == .unknown else { return }
            state = known
        }
        let isSaid = state.value == value && !state.hasLostToken && written[address.tag] == nil
        guard isNewest(address.tag, value), !isSaid else { return }
        try put(state.changed(to: value, at: now), at: address, output)
    }

    private func put(
        _ state: SignInRecord,
        at address: RecordAddress,
        _ output: EntryOutput
    ) throws(StorageError) {
        try output.put(state.encoded(), kind: InternalRecordKind.signInState.recordKind, at: address)
    }

    /// Whether nothing newer was written under the tag: of several entries of a document the newest decides, else the last.
    private mutating func isNewest(_ tag: RecordTag, _ state: SignInRecord.Value?) -> Bool {
        if let newest = written[tag]?.age, age < newest { return false }
        written[tag] = Written(age: age, state: state)
        return true
    }

    /// Nil for an address that did not resolve to another tenant of its cloud.
    private func note(
        _ meaning: (requested: AuthorityAddress, cached: AuthorityAddress),
        of account: UTF8Text
    ) -> TenantNote? {
        let environment = clouds.preferredCacheHost(for: meaning.requested.host)
        // An address requested from one host says nothing about another cloud.
        guard clouds.areAliases(environment, meaning.cached.host),
            let name = TenantName.comparable(meaning.requested.tenant),
            let realm = TenantName.comparable(meaning.cached.tenant), realm != name
        else { return nil }
        return TenantNote(name: name, environment: environment, realm: realm, account: account, at: now)
    }

    private mutating func write(
        _ note: TenantNote,
        in partition: PartitionTag,
        _ stored: StoredPartition?,
        _ output: EntryOutput
    ) throws(StorageError) {
        let tag = try codec.tenantNoteTag(name: note.name, environment: note.environment, partition: partition)
        let isKnown = stored?.record(tag) != nil
        let isFirst = written[tag] == nil
        guard isForced || !isKnown else { return }
        if !isKnown, isFirst {
            // Notes recorded by a save are not replaced.
            let storedCount = stored?.records.count { $0.kind.isTenantNote } ?? 0
            let room = noteRoom[partition] ?? TenantNote.limit - storedCount
            guard room > 0 else { return }
            noteRoom[partition] = room - 1
        }
        let known = try stored?.tenantNote(tag)?.content?.realm
        guard isNewest(tag, nil), !isFirst || known != note.realm else { return }
        try output.put(
            note.encoded(),
            kind: InternalRecordKind.tenantNote.recordKind,
            at: RecordAddress(tag: tag, partition: partition, searchTags: [])
        )
    }
}

extension SignInRecord.Value {
    /// Nil if the state is unknown.
    fileprivate init?(_ state: SignInState) {
        switch state {
        case .unknown: return nil
        case .signedIn: self = .signedIn
        case .signedOut: self = .signedOut
        }
    }
}
