/// What a store found when it compared everything with what vouches for it.
package struct StoreExamination: Sendable {
    /// Something that is not as it was written. Names records by tags, never content.
    package struct Finding: Hashable, Sendable {
        /// What was found, as a sentence.
        package let description: String
        /// The record concerned, where it is one.
        package let record: RecordTag?
        /// The partition concerned, where it is known.
        package let partition: PartitionTag?
        /// Whether something is lost or cannot be trusted; otherwise it puts itself right.
        package let isDamage: Bool

        package init(_ description: String, record: RecordTag? = nil, partition: PartitionTag?, isDamage: Bool) {
            self.description = description
            self.record = record
            self.partition = partition
            self.isDamage = isDamage
        }
    }

    /// In the order in which they were met.
    package let findings: [Finding]
    /// Bytes that were read.
    package let byteCount: UInt64
    /// The partitions that can be read, where they were read on the way: asking for them again would take as long once more.
    package let partitions: [(tag: PartitionTag, contents: PartitionContents)]?

    package init(
        findings: [Finding],
        byteCount: UInt64,
        partitions: [(tag: PartitionTag, contents: PartitionContents)]? = nil
    ) {
        self.findings = findings
        self.byteCount = byteCount
        self.partitions = partitions
    }
}
