internal import RecordStorage
internal import UnifiedSchema

/// An entry as it is stored, with its facts opened.
///
/// A reference: a change goes through the entries of an account again and again, and a copy of all fields costs more than
/// what is asked of them.
final class StoredEntry: Sendable {
    let record: StoredRecord
    let facts: EntryFacts
    let fields: CredentialFields

    init(record: StoredRecord, facts: EntryFacts, fields: CredentialFields) {
        self.record = record
        self.facts = facts
        self.fields = fields
    }
}
