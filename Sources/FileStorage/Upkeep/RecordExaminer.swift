// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// Identifies records for a repair, on behalf of the code that seals the boxes of a store: which record a box belongs
/// to when nothing that the store wrote authenticates it any more, and what to write when lost records may have
/// recorded a sign-out.
///
/// It may give up if it is asked too much, as with bytes crafted for that purpose: from then on it finds nothing.
package protocol RecordExaminer: AnyObject {
    /// Starts over with a group. A repair examines it several times and must find the same each time.
    func begin()

    /// The record whose facts box begins at the start of `bytes`, if it was sealed in one of these transactions. The
    /// result is authentic: the box verifies as that record's, and tag and partition follow from its content.
    ///
    /// - Parameters:
    ///   - bytes: all bytes from there on.
    ///   - sequences: transactions that may have written it.
    ///   - partitions: candidates for records whose content does not determine their partition.
    /// - Returns: the record; nil if none begins there.
    /// - Throws: ``StorageError/Code/forkedProcess``, ``StorageError/Code/keyMissing``.
    func record(
        at bytes: RawSpan,
        sequences: [UInt64],
        partitions: Set<PartitionTag>
    ) throws(StorageError) -> ExaminedRecord?

    /// Which of these records the secret box at the start of `bytes` belongs to, and its length; nil if there is none.
    func secret(
        at bytes: RawSpan,
        of records: [ExaminedRecord]
    ) throws(StorageError) -> (number: Int, byteCount: Int)?

    /// Whether records of this kind remain when everything else in their partition is removed.
    func outlivesRemoval(_ kind: RecordKind) -> Bool

    /// Whether a lost record may have recorded a sign-out.
    func mayKeepOut(_ lost: LostRecord) -> Bool

    /// Is passed every record that is kept, before ``replacements(for:sequence:)``.
    func note(_ record: StoredRecord, in partition: PartitionTag, facts: RawSpan) throws(StorageError)

    /// The records to write in a transaction of this sequence, so that a sign-out which a lost record may have recorded
    /// stays in effect. They replace records that are kept.
    func replacements(
        for lost: Set<LostRecord>,
        sequence: UInt64
    ) throws(StorageError) -> (accountCount: Int, records: [NewRecord])
}

/// A record authenticated by its own boxes.
package struct ExaminedRecord: Sendable {
    package let tag: RecordTag
    package let partition: PartitionTag
    package let kind: RecordKind
    package let sequence: UInt64
    package let searchTags: [SearchTag]
    /// The length of its facts box.
    package let factsByteCount: Int
    /// Whether it has a secret box, according to its facts.
    package let hasSecret: Bool
    /// What its transaction removed at the user's request, if the record says so: part of its partition, everything in
    /// it that does not outlive a removal, or the whole group.
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

/// What is known of a lost record, or of any number of them.
package struct LostRecord: Hashable, Sendable {
    /// Nil if it is unknown.
    package let partition: PartitionTag?
    /// Nil if it is unknown.
    package let tag: RecordTag?
    /// Nil if it is unknown.
    package let kind: RecordKind?

    package init(partition: PartitionTag? = nil, tag: RecordTag? = nil, kind: RecordKind? = nil) {
        self.partition = partition
        self.tag = tag
        self.kind = kind
    }
}
