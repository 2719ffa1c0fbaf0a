// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// Identifies records for a repair. Implemented by the code that seals a store's boxes, it tells which record a box
/// belongs to when the store's own structures no longer authenticate it, and what to write when lost records may have
/// recorded a sign-out.
///
/// An examiner may limit its work, to withstand crafted bytes; past that limit it finds no records.
package protocol RecordExaminer: AnyObject {
    /// Starts over. A repair examines a group several times and must get the same results each time.
    func begin()

    /// The record whose facts box is at the start of `bytes`, if one of these transactions sealed it. The result is
    /// authentic: the box verifies as that record's, and its content determines tag and partition.
    ///
    /// - Parameters:
    ///   - bytes: all bytes from the box on.
    ///   - sequences: transactions that may have written it.
    ///   - partitions: candidates for records whose content does not determine their partition.
    /// - Returns: the record; nil if no box verifies there.
    /// - Throws: ``StorageError/Code/forkedProcess``, ``StorageError/Code/keyMissing``.
    func record(
        at bytes: RawSpan,
        sequences: [UInt64],
        partitions: Set<PartitionTag>
    ) throws(StorageError) -> ExaminedRecord?

    /// The index of the record whose secret box is at the start of `bytes`, and the length of that box; nil if none
    /// matches.
    func secret(
        at bytes: RawSpan,
        of records: [ExaminedRecord]
    ) throws(StorageError) -> (number: Int, byteCount: Int)?

    /// Whether records of this kind stay when everything else in their partition is removed.
    func outlivesRemoval(_ kind: RecordKind) -> Bool

    /// Whether a lost record may have recorded a sign-out.
    func mayHaveRecordedSignOut(_ lost: LostRecord) -> Bool

    /// Receives every kept record, before the call of ``replacements(for:sequence:)``.
    func note(_ record: StoredRecord, in partition: PartitionTag, facts: RawSpan) throws(StorageError)

    /// The records to write, as part of transaction `sequence`, so that sign-outs which lost records may have recorded
    /// stay in effect. They replace kept records.
    func replacements(
        for lost: Set<LostRecord>,
        sequence: UInt64
    ) throws(StorageError) -> (accountCount: Int, records: [NewRecord])
}

/// A record that its own boxes authenticate.
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
    /// What its transaction removed at the user's request, if the record says so: part of its partition, all records in
    /// it that do not outlive a removal, or the whole group.
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

/// The known attributes of a lost record. With none known, it represents any number of lost records.
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
