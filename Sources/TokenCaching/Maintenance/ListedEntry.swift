internal import RecordStorage
internal import UnifiedSchema

/// An entry while a list is made: its record, where its boxes are, and its facts.
struct ListedEntry {
    let record: StoredRecord
    let partition: PartitionTag
    let reader: any BoxReader
    let facts: EntryFacts
    let fields: CredentialFields

    /// What lists show of it. `username` is the account's, for entries that have none of their own.
    func summary(account: AccountHandle?, username: String?) -> EntrySummary {
        EntrySummary(
            handle: EntryHandle(record.tag),
            accountHandle: account,
            kind: CachedEntryKind(facts.kind),
            entryKind: facts.kind,
            homeAccountID: facts.text(.homeAccountID)?.string,
            username: facts.text(.username)?.string ?? username,
            environment: facts.text(.environment)?.string,
            realm: facts.text(.realm)?.string,
            clientID: facts.text(.clientID)?.string,
            familyID: facts.text(.familyID)?.string,
            scopes: fields.target?.scopes.map(\.string) ?? [],
            tokenType: facts.kind.isAccessToken ? fields.tokenType.string : nil,
            cachedAt: fields.cachedAt,
            expiresOn: fields.expiresOn,
            extendedExpiresOn: fields.extendedExpiresOn,
            refreshOn: fields.refreshOn,
            lastModificationTime: fields.lastModificationTime,
            section: facts.sectionName.string,
            byteCount: Int(record.facts.length) + Int(record.secret.length),
            sequence: record.sequence
        )
    }
}
