// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
package import RecordStorage
internal import Sealing
package import UnifiedSchema

/// A stored entry with the fields that lookups compare.
///
/// A reference type: a change iterates over the entries of an account repeatedly, and copying all fields would cost
/// more than reading the few that it needs.
package final class StoredEntry: Sendable {
    package let record: StoredRecord
    package let fields: CredentialFields
    /// Whether no member identifies its SDK, and this is known without opening the entry.
    let hasNoSDKFingerprint: Bool
    /// Its place among the entries of the same transaction.
    private let position: UInt32
    private let content: Content

    private enum Content: Sendable {
        case opened(EntryFacts)
        /// Usually only the fields are needed.
        case sealed(SealedFacts)
    }

    /// Decodes newly opened facts.
    ///
    /// - Throws: as `EntryFacts.init(decoding:)`.
    init(_ record: StoredRecord, _ bytes: [UInt8], sharing pool: inout FieldPool) throws(SchemaError) {
        let fields = try CredentialFields(decoding: bytes.rawSpan, sharing: &pool)
        let facts = EntryFacts(checked: bytes, by: fields)
        position = facts.position
        content = .opened(facts)
        self.fields = consume fields
        hasNoSDKFingerprint = false
        self.record = record
    }

    /// An entry whose row contains enough, because this version of it was opened before.
    init(_ record: StoredRecord, knowing known: CachedFields.Entry, in sealed: SealedFacts) {
        self.record = record
        fields = known.fields
        hasNoSDKFingerprint = known.hasNoSDKFingerprint
        position = known.position
        content = .sealed(sealed)
    }

    /// Whether it was written before another entry.
    func isOlder(than other: StoredEntry) -> Bool {
        (record.sequence, position) < (other.record.sequence, other.position)
    }

    /// Whether this entry of the group's or an account's partition is chosen if both would do. Does not consider the
    /// access tokens beside it.
    func precedes(_ other: StoredEntry) -> Bool { other.precedence < precedence }

    private var precedence: EntryPrecedence {
        EntryPrecedence(
            fields,
            namesUser: fields.username != nil,
            sequence: record.sequence,
            position: position
        )
    }

    /// The facts, opened if necessary.
    ///
    /// - Throws: `damaged` if they can no longer be read, `forkedProcess`.
    package func facts() throws(StorageError) -> EntryFacts {
        switch content {
        case .opened(let facts): facts
        case .sealed(let sealed): try sealed.opened(of: record)
        }
    }
}

/// The sealed facts of an entry, to open only when needed.
struct SealedFacts: Sendable {
    let box: [UInt8]
    let codec: RecordCodec
    let sealer: RecordSealer

    /// - Throws: `damaged` if the box does not verify or does not belong to this record, `forkedProcess`.
    func opened(of record: StoredRecord) throws(StorageError) -> EntryFacts {
        try RecordCodec.entryFacts(codec.openFactsBytes(box.rawSpan, of: record, with: sealer))
    }
}
