// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
package import RecordStorage
package import UnifiedSchema

/// The facts of one version of a record, opened and verified.
package enum OpenedFacts: Sendable {
    case entry(StoredEntry)
    /// An internal record.
    case internalRecord(InternalRecord)

    /// Decodes the plaintext of a facts box.
    ///
    /// - Throws: `damaged` for facts that this format cannot produce, `unsupportedVersion` for a later version.
    package init(_ record: StoredRecord, _ bytes: [UInt8], sharing pool: inout FieldPool) throws(StorageError) {
        if record.kind.isInternalRecord {
            self = .internalRecord(try InternalRecord(record, bytes))
            return
        }
        self = .entry(try RecordCodec.decoding(try StoredEntry(record, bytes, sharing: &pool)))
    }

    var record: StoredRecord {
        switch self {
        case .entry(let entry): entry.record
        case .internalRecord(let internalRecord): internalRecord.record
        }
    }
}
