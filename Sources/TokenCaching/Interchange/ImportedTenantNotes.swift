internal import RecordStorage
internal import UnifiedSchema

/// Takes over what addresses turned out to mean according to MSAL for ObjC: writes the library's own notes, where it has none of
/// its own. The entry itself is kept like any other.
struct ImportedTenantNotes {
    private let codec: RecordCodec
    private let now: Int64
    private var written: Set<RecordTag> = []

    init(codec: RecordCodec, now: Int64) {
        self.codec = codec
        self.now = now
    }

    /// Takes an entry that goes in. If `isForced`, it prevails over notes that are there.
    mutating func take(
        _ facts: EntryFacts,
        _ window: inout PartitionWindow,
        isForced: Bool,
        output: EntryOutput
    ) throws(StorageError) {
        guard let metadata = AccountMetadataView(facts) else { return }
        for account in metadata.accounts where account.signInState != .signedOut {
            let id = account.homeAccountID.normalized()
            guard !id.isEmpty else { continue }
            for meaning in account.meanings.prefix(TenantNote.limit) {
                try take(meaning, of: id, &window, isForced: isForced, output: output)
            }
        }
    }

    private mutating func take(
        _ meaning: (requested: AuthorityAddress, cached: AuthorityAddress),
        of account: UTF8Text,
        _ window: inout PartitionWindow,
        isForced: Bool,
        output: EntryOutput
    ) throws(StorageError) {
        let clouds = CloudTable.builtIn
        let environment = clouds.preferredCacheHost(for: meaning.requested.host)
        // What one host was asked for says nothing of another cloud.
        guard clouds.areAliases(environment, meaning.cached.host),
            let name = TenantName.comparable(meaning.requested.tenant),
            let realm = TenantName.comparable(meaning.cached.tenant), realm != name
        else { return }
        let partition = try codec.partition(ofAccount: account.bytes)
        let tag = try codec.tenantNoteTag(name: name.string, environment: environment.string, partition: partition)
        let isKnown = try window.partition(partition)?.record(tag) != nil
        guard isForced || !isKnown, written.insert(tag).inserted else { return }
        let note = TenantNote(name: name, environment: environment, realm: realm, account: account, at: now)
        try output.put(
            note.encoded(),
            kind: EngineRecordKind.tenantNote.recordKind,
            at: RecordAddress(tag: tag, partition: partition, searchTags: [])
        )
    }
}
