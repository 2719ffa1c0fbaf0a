internal import RecordStorage
internal import UnifiedSchema

/// An entry as it is stored, with its facts opened.
struct StoredEntry: Sendable {
    let record: StoredRecord
    let facts: EntryFacts
    let fields: CredentialFields
}
