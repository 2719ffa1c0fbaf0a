// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// Imports what MSAL for ObjC stores about accounts besides their tokens: which clients are signed in, and what
/// authority addresses resolved to. Writes internal records if there are none yet, because lookups use only those. The
/// entry itself is stored like any other.
struct ImportedMetadata {
    private let codec: RecordCodec
    private let clouds: CloudTable
    private let now: Int64
    /// The ages of the entries from which records were written.
    private var written: [RecordTag: EntryAge] = [:]
    /// The age of the entry that is being imported.
    private var age = EntryAge.unknown
    /// How many more tenant notes an account may have.
    private var noteRoom: [PartitionTag: Int] = [:]

    init(codec: RecordCodec, clouds: CloudTable, now: Int64) {
        self.codec = codec
        self.clouds = clouds
        self.now = now
    }

    /// Imports an entry that is being written. If `isForced`, it overrides existing records.
    mutating func take(
        _ facts: EntryFacts,
        _ issuers: DocumentIssuers,
        _ window: inout PartitionWindow,
        isForced: Bool,
        output: EntryOutput
    ) throws(StorageError) {
        guard let metadata = AccountMetadataView(facts) else { return }
        let client = metadata.clientID?.normalized().string
        age = EntryAge(CredentialFields(facts).times)
        for account in metadata.accounts {
            let own = HomeAccountID.comparable(account.homeAccountID)
            guard !own.isEmpty else { continue }
            // That SDK knows no issuers.
            for id in [own] + issuers.ids(ofSubject: own).sorted() {
                try take(account, of: id, client: client, &window, isForced: isForced, output: output)
            }
        }
    }

    private mutating func take(
        _ account: AccountMetadataView.Account,
        of id: UTF8Text,
        client: String?,
        _ window: inout PartitionWindow,
        isForced: Bool,
        output: EntryOutput
    ) throws(StorageError) {
        let partition = try codec.partition(ofAccount: id.bytes)
        let stored = try window.partition(partition)
        if let client, let value = SignInRecord.Value(account.signInState) {
            let state = SignInRecord(clientID: client, account: id.string)
            try write(value, over: state, in: partition, stored, isForced: isForced, output: output)
        }
        if account.signInState == .signedOut { return }
        for meaning in account.meanings {
            guard let note = note(meaning, of: id) else { continue }
            try write(note, in: partition, stored, isForced: isForced, output: output)
        }
    }

    private mutating func write(
        _ value: SignInRecord.Value,
        over unknown: SignInRecord,
        in partition: PartitionTag,
        _ stored: StoredPartition?,
        isForced: Bool,
        output: EntryOutput
    ) throws(StorageError) {
        var state = unknown
        let tag = try codec.signInStateTag(clientID: state.clientID, partition: partition)
        if let reading = try stored?.signInState(tag) {
            // An unreadable state may mean "signed out".
            guard let known = reading.content, isForced || known.value == .unknown else { return }
            state = known
        }
        guard isNewest(tag) else { return }
        try output.put(
            state.changed(to: value, at: now).encoded(),
            kind: InternalRecordKind.signInState.recordKind,
            at: RecordAddress(tag: tag, partition: partition, searchTags: [])
        )
    }

    /// Whether nothing newer was written under the tag: of several entries of a document the newest decides, else the last.
    private mutating func isNewest(_ tag: RecordTag) -> Bool {
        if let newest = written[tag], age < newest { return false }
        written[tag] = age
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
        isForced: Bool,
        output: EntryOutput
    ) throws(StorageError) {
        let tag = try codec.tenantNoteTag(name: note.name, environment: note.environment, partition: partition)
        let isKnown = stored?.record(tag) != nil
        guard isForced || !isKnown else { return }
        if !isKnown, written[tag] == nil {
            // Notes recorded by a save are not replaced.
            let storedCount = stored?.records.count { $0.kind.isTenantNote } ?? 0
            let room = noteRoom[partition] ?? TenantNote.limit - storedCount
            guard room > 0 else { return }
            noteRoom[partition] = room - 1
        }
        guard isNewest(tag) else { return }
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
