/// Takes the operations of one transaction. A store may spill them, so that a transaction of any size needs little
/// memory; nothing is visible before the commit returns.
///
/// Of several operations on one tag the last one counts.
package protocol BatchWriter: AnyObject {
    /// Adds or replaces a record.
    func put(_ record: NewRecord) throws(StorageError)

    /// Removes a record.
    func remove(_ removal: Removal) throws(StorageError)

    /// Removes every record of the group but those put in this transaction, and overwrites their secrets.
    func removeAll() throws(StorageError)

    /// Says that a person had something taken away, be it that only a mark of it is left to be written: the transaction
    /// goes through on a full disk as far as a store can keep room for that, and what a store has besides its records
    /// goes with them. A removal that erases and ``removeAll()`` say so themselves; alone it writes nothing.
    func declareRemoval(of scope: RemovalScope)
}

/// A record to be written. It replaces the one of the same tag in the same partition, if there is one.
package struct NewRecord: Sendable {
    package let tag: RecordTag
    package let partition: PartitionTag
    package let kind: RecordKind
    /// The sealed facts box.
    package let facts: [UInt8]
    /// The sealed secret box; empty where the record has no secret.
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

/// A record on its way from one store to another: its boxes as they are, and the number that they were sealed with.
package struct RelocatedRecord: Sendable {
    package let record: NewRecord
    /// The sequence of the transaction that wrote it. It stays the same: the boxes are bound to it.
    package let sequence: UInt64

    package init(_ record: NewRecord, sequence: UInt64) {
        self.record = record
        self.sequence = sequence
    }
}

/// A record to be removed. Removing what is not there is no error.
package struct Removal: Hashable, Sendable {
    package let tag: RecordTag
    package let partition: PartitionTag
    /// True where the person asked for it (sign-out, wipe, clear): the sealed secret itself is then overwritten.
    /// False for ordinary replacement, whose leftovers wait for compaction.
    package let erasesSecret: Bool

    package init(tag: RecordTag, partition: PartitionTag, erasesSecret: Bool) {
        self.tag = tag
        self.partition = partition
        self.erasesSecret = erasesSecret
    }
}

/// How much a transaction takes away at a person's wish. Kept in records by its number.
package enum RemovalScope: UInt8, Sendable, CaseIterable {
    /// Some entries, as a rule what one client had of one account. What killed writers left behind goes with them.
    case signOut = 1
    /// All that anybody had of one account. What was set aside as damaged goes too: it may hold something of it.
    case account = 2
    /// The whole group.
    case group = 3
}

extension RemovalScope: Comparable {
    package static func < (left: RemovalScope, right: RemovalScope) -> Bool {
        left.rawValue < right.rawValue
    }
}
