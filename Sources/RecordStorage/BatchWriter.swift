// SPDX-License-Identifier: Apache-2.0

/// Collects the operations of one transaction. A store may spill them to disk, so that a transaction of any size needs
/// little memory; nothing is visible before the commit returns.
///
/// If several operations name the same tag, the last one wins.
package protocol BatchWriter: AnyObject {
    /// Adds or replaces a record.
    func put(_ record: NewRecord) throws(StorageError)

    /// Removes a record.
    func remove(_ removal: Removal) throws(StorageError)

    /// Removes every record of the group except those put in this transaction, and overwrites their secrets.
    func removeAll() throws(StorageError)

    /// Declares that the user asked for something to be removed, even if only a tombstone remains to be written: the
    /// transaction then succeeds on a full disk as far as the store keeps space for that, and everything that the store
    /// keeps besides its records is deleted too. A removal that erases and ``removeAll()`` imply this; on its own it
    /// writes nothing.
    func declareRemoval(of scope: RemovalScope)
}

/// A record to write. It replaces the record with the same tag in the same partition, if there is one.
package struct NewRecord: Sendable {
    package let tag: RecordTag
    package let partition: PartitionTag
    package let kind: RecordKind
    /// The sealed facts box.
    package let facts: [UInt8]
    /// The sealed secret box; empty if the record has no secret.
    package let secret: [UInt8]
    /// Other names under which ``RecordStore/partitions(under:)`` finds this record's partition.
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

/// A record being copied from one store to another: its boxes unchanged, and the sequence that they were sealed with.
package struct RelocatedRecord: Sendable {
    package let record: NewRecord
    /// The sequence of the transaction that wrote it. It stays the same, because the boxes are bound to it.
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
    /// True if the user asked for it (sign-out, wipe, clear): the sealed secret itself is then overwritten. False for
    /// an ordinary replacement, whose dead bytes wait for compaction.
    package let erasesSecret: Bool

    package init(tag: RecordTag, partition: PartitionTag, erasesSecret: Bool) {
        self.tag = tag
        self.partition = partition
        self.erasesSecret = erasesSecret
    }
}

/// How much a transaction removes at the user's request. Stored in records as its raw value.
package enum RemovalScope: UInt8, Sendable, CaseIterable {
    /// Some entries, usually those of one client for one account. Deletes what killed writers left behind, too.
    case signOut = 1
    /// All entries of one account, of every client. Deletes the quarantine too, since it may contain some of them.
    case account = 2
    /// The whole group.
    case group = 3
}

extension RemovalScope: Comparable {
    package static func < (left: RemovalScope, right: RemovalScope) -> Bool {
        left.rawValue < right.rawValue
    }
}
