internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// An entry that was read from a document, ready to be compared and sealed. Its secrets stay where they were read.
struct ImportedEntry {
    let facts: EntryFacts
    let fields: CredentialFields
    let address: RecordAddress

    init(_ facts: EntryFacts, codec: RecordCodec, sharing pool: inout FieldPool) throws(StorageError) {
        let fields = CredentialFields(facts, sharing: &pool)
        address = try codec.address(of: facts, fields: fields)
        self.facts = facts
        self.fields = fields
    }
}
