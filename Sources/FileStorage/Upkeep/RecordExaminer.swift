package import RecordStorage

/// What a repair asks of whoever seals the boxes of a store: which record a box is of, where nothing that the store itself
/// wrote vouches for that any more, and what is to be written where lost records may have kept somebody out.
///
/// It may give up where it was asked too much, as by somebody who made bytes for that: then it finds nothing any more.
package protocol RecordExaminer: AnyObject {
    /// Begins to be asked about a group anew. A repair goes through it several times and has to find the same each time.
    func begin()

    /// The record whose facts box begins where `bytes` begin, if one does that was sealed in one of these transactions.
    /// What comes back is authentic: the box verifies as that record's, and tag and partition follow from what it says.
    ///
    /// - Parameters:
    ///   - bytes: from there on.
    ///   - sequences: transactions that may have written it.
    ///   - partitions: where it may lie, for records that do not say it themselves.
    /// - Returns: the record; nil where none begins there.
    /// - Throws: ``StorageError/Code/forkedProcess``, ``StorageError/Code/keyMissing``.
    func record(
        at bytes: RawSpan,
        sequences: [UInt64],
        partitions: Set<PartitionTag>
    ) throws(StorageError) -> ExaminedRecord?

    /// Which of these records the secret box is of that begins where `bytes` begin, and its length; nil where none does.
    func secret(
        at bytes: RawSpan,
        of records: [ExaminedRecord]
    ) throws(StorageError) -> (number: Int, byteCount: Int)?

    /// Whether records of this kind stay when all of their partition is removed.
    func outlivesRemoval(_ kind: RecordKind) -> Bool

    /// Whether a record that is lost may have kept somebody out.
    func mayKeepOut(_ lost: LostRecord) -> Bool

    /// Is shown every record that is kept, before ``replacements(for:sequence:)``.
    func note(_ record: StoredRecord, in partition: PartitionTag, facts: RawSpan) throws(StorageError)

    /// What is to be written, in a transaction of this sequence, so that nobody is let in whom a lost record may have kept
    /// out. It goes over what is kept.
    func replacements(
        for lost: Set<LostRecord>,
        sequence: UInt64
    ) throws(StorageError) -> (accountCount: Int, records: [NewRecord])
}

/// A record that its own boxes vouch for.
package struct ExaminedRecord: Sendable {
    package let tag: RecordTag
    package let partition: PartitionTag
    package let kind: RecordKind
    package let sequence: UInt64
    package let searchTags: [SearchTag]
    /// Length of its facts box.
    package let factsByteCount: Int
    /// Whether a box with its secret belongs to it, as its facts say.
    package let hasSecret: Bool
    /// What its transaction took away at a person's wish, if the record says that: something of its partition, all of that
    /// but what outlives it, or everything.
    package let removal: RemovalScope?

    package init(
        tag: RecordTag,
        partition: PartitionTag,
        kind: RecordKind,
        sequence: UInt64,
        searchTags: [SearchTag],
        factsByteCount: Int,
        hasSecret: Bool,
        removal: RemovalScope?
    ) {
        self.tag = tag
        self.partition = partition
        self.kind = kind
        self.sequence = sequence
        self.searchTags = searchTags
        self.factsByteCount = factsByteCount
        self.hasSecret = hasSecret
        self.removal = removal
    }
}

/// What is known of a record that is lost, or of any number of them.
package struct LostRecord: Hashable, Sendable {
    /// Nil where it may be any.
    package let partition: PartitionTag?
    /// Nil where it may be any.
    package let tag: RecordTag?
    /// Nil where it may be any.
    package let kind: RecordKind?

    package init(partition: PartitionTag? = nil, tag: RecordTag? = nil, kind: RecordKind? = nil) {
        self.partition = partition
        self.tag = tag
        self.kind = kind
    }
}
