// SPDX-License-Identifier: Apache-2.0

/// Collects the operations of one transaction. A store may spill them to disk, so that a transaction of any size needs
/// little memory. They become visible only with the commit.
///
/// If several operations concern the same record, the last one wins.
package protocol BatchWriter: AnyObject {
    /// Adds or replaces a record.
    func put(_ record: NewRecord) throws(StorageError)

    /// Removes a record.
    func remove(_ removal: Removal) throws(StorageError)

    /// Removes every record of the group except those put in this transaction, and overwrites their secrets.
    func removeAll() throws(StorageError)

    /// Declares that the user requested a removal, even if the transaction writes only a tombstone. The transaction
    /// then succeeds on a full disk as far as the store reserves space for that, and also deletes data that the store
    /// keeps besides its records. Implied by an erasing removal and by ``removeAll()``; by itself it writes nothing.
    func declareRemoval(of scope: RemovalScope)
}

/// A record to write. It replaces any record with the same tag in the same partition.
package struct NewRecord: Sendable {
    package let tag: RecordTag
    package let partition: PartitionTag
    package let kind: RecordKind
    /// The sealed facts box.
    package let facts: [UInt8]
    /// The sealed secret box; empty if the record has no secret.
    package let secret: [UInt8]
    /// The tags under which ``RecordStore/partitions(under:until:)`` finds this record's partition.
    package let searchTags: [SearchTag]

    package init(
        tag: RecordTag,
        partition: PartitionTag,
        kind: RecordKind,
        facts: [UInt8],
        secret: [UInt8],
        searchTags: [SearchTag] = []
    ) {
        self.tag = tag
        self.partition = partition
        self.kind = kind
        self.facts = facts
        self.secret = secret
        self.searchTags = searchTags
    }
}

/// A record being copied to another store, with unchanged boxes and the sequence that they were sealed with.
package struct RelocatedRecord: Sendable {
    package let record: NewRecord
    /// The sequence of the transaction that wrote it, which is preserved because the boxes are bound to it.
    package let sequence: UInt64

    package init(_ record: NewRecord, sequence: UInt64) {
        self.record = record
        self.sequence = sequence
    }
}

/// A record to remove. Removing a record that does not exist is not an error.
package struct Removal: Hashable, Sendable {
    package let tag: RecordTag
    package let partition: PartitionTag
    /// True if the user requested the removal (sign-out, wipe, clear), in which case the sealed secret is overwritten.
    /// False for an ordinary replacement, whose dead bytes stay until compaction.
    package let erasesSecret: Bool

    package init(tag: RecordTag, partition: PartitionTag, erasesSecret: Bool) {
        self.tag = tag
        self.partition = partition
        self.erasesSecret = erasesSecret
    }
}

/// The extent of a removal requested by the user. Records store its raw value.
package enum RemovalScope: UInt8, Sendable, CaseIterable {
    /// Some entries, usually those of one client for one account. Also deletes files left by killed writers.
    case signOut = 1
    /// All entries of one account, of every client. Also empties the quarantine, which may contain some of them.
    case account = 2
    /// The whole group.
    case group = 3
}

extension RemovalScope: Comparable {
    package static func < (left: RemovalScope, right: RemovalScope) -> Bool {
        left.rawValue < right.rawValue
    }
}
