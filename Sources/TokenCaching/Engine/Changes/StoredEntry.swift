internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// An entry as it is stored, with its facts opened.
///
/// A reference: a change goes through the entries of an account again and again, and a copy of all fields costs more than
/// what is asked of them.
final class StoredEntry: Sendable {
    let record: StoredRecord
    let facts: EntryFacts
    let fields: CredentialFields

    /// Reads facts that were just opened.
    ///
    /// - Throws: as `EntryFacts.init(decoding:)`.
    init(_ record: StoredRecord, _ bytes: [UInt8], sharing pool: inout FieldPool) throws(SchemaError) {
        fields = try CredentialFields(decoding: bytes.rawSpan, sharing: &pool)
        facts = EntryFacts(checked: bytes, by: fields)
        self.record = record
    }
}
