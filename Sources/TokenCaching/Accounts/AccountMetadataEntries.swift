// SPDX-License-Identifier: Apache-2.0

package import GroupRecords
package import RecordStorage
internal import Sealing
package import UnifiedSchema

/// The entries in which MSAL for ObjC records who is signed in, if any were imported. They are changed together with
/// the library's own records, so that an export does not restore an account that was signed out here.
package struct AccountMetadataEntries {
    /// The entries of the group's partition.
    let stored: PartitionEntries
    let group: PartitionTag
    let codec: RecordCodec

    package init(stored: PartitionEntries, group: PartitionTag, codec: RecordCodec) {
        self.stored = stored
        self.group = group
        self.codec = codec
    }

    /// Changes the entries of one client, folded, or of all.
    package func change(
        of client: UTF8Text?,
        _ transaction: inout Transaction,
        _ body: (inout AccountMetadataChange) -> Void
    ) throws(StorageError) {
        for entry in stored.entries where entry.fields.kind == .accountMetadata {
            guard client == nil || entry.fields.clientID == client else { continue }
            let old = try entry.facts()
            guard var change = AccountMetadataChange(old) else { continue }
            body(&change)
            let facts = change.facts
            guard facts != old else { continue }
            let address = RecordAddress(tag: entry.record.tag, partition: group, searchTags: [])
            if let payload = try codec.openSecret(of: entry.record, reader: stored.reader) {
                try transaction.put(facts, secret: payload.bytes, at: address)
            } else {
                try transaction.put(facts, secret: RawSpan(), at: address)
            }
        }
    }
}

extension RecordKind {
    package var isAccountMetadata: Bool { rawValue == EntryKind.accountMetadata.rawValue }
}
