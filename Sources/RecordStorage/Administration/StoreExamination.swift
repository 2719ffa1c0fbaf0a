// SPDX-License-Identifier: Apache-2.0

/// The result of verifying everything that a store authenticates.
package struct StoreExamination: Sendable {
    /// Something that is not as it was written. Identifies records by tag and contains none of their content.
    package struct Finding: Hashable, Sendable {
        /// A sentence to display.
        package let description: String
        /// The record concerned, if it is a single one.
        package let record: RecordTag?
        /// The partition concerned, if it is known.
        package let partition: PartitionTag?
        /// Whether something is lost or cannot be trusted; otherwise the store repairs it by itself.
        package let isDamage: Bool

        package init(_ description: String, record: RecordTag? = nil, partition: PartitionTag?, isDamage: Bool) {
            self.description = description
            self.record = record
            self.partition = partition
            self.isDamage = isDamage
        }
    }

    /// In the order in which they were found.
    package let findings: [Finding]
    /// The number of bytes read.
    package let byteCount: UInt64
    /// The readable partitions, if verification read them: reading them again would take as long once more.
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
