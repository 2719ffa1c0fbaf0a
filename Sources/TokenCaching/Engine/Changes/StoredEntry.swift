internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
package import UnifiedSchema

/// An entry as it is stored, with what lookups compare of it.
///
/// A reference: a change goes through the entries of an account again and again, and a copy of all fields costs more than
/// what is asked of them.
package final class StoredEntry: Sendable {
    let record: StoredRecord
    package let fields: CredentialFields
    /// Whether it is known without opening it that no member speaks for an SDK.
    let hasNoSDKFingerprint: Bool
    private let content: Content

    private enum Content: Sendable {
        case opened(EntryFacts)
        /// As a rule nobody asks for more than the fields.
        case sealed(SealedFacts)
    }

    /// Reads facts that were just opened.
    ///
    /// - Throws: as `EntryFacts.init(decoding:)`.
    init(_ record: StoredRecord, _ bytes: [UInt8], sharing pool: inout FieldPool) throws(SchemaError) {
        let fields = try CredentialFields(decoding: bytes.rawSpan, sharing: &pool)
        content = .opened(EntryFacts(checked: bytes, by: fields))
        self.fields = consume fields
        hasNoSDKFingerprint = false
        self.record = record
    }

    /// An entry of which a row says enough: this very version of it was opened before.
    init(_ record: StoredRecord, knowing known: CachedFields.Entry, in sealed: SealedFacts) {
        self.record = record
        fields = known.fields
        hasNoSDKFingerprint = known.hasNoSDKFingerprint
        content = .sealed(sealed)
    }

    /// The facts, opened if they were not.
    ///
    /// - Throws: `damaged` where they cannot be read any more, `forkedProcess`.
    func facts() throws(StorageError) -> EntryFacts {
        switch content {
        case .opened(let facts): facts
        case .sealed(let sealed): try sealed.opened(of: record)
        }
    }
}

/// The facts of an entry as they lie in a store, to be opened by whoever needs them.
struct SealedFacts: Sendable {
    let box: [UInt8]
    let codec: RecordCodec
    let sealer: RecordSealer

    /// - Throws: `damaged` where the box does not verify or is not of this record, `forkedProcess`.
    func opened(of record: StoredRecord) throws(StorageError) -> EntryFacts {
        try RecordCodec.entryFacts(codec.openFactsBytes(box.rawSpan, of: record, with: sealer))
    }
}
