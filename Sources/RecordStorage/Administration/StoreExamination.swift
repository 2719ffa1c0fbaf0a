// SPDX-License-Identifier: Apache-2.0

/// The result of verifying all data that a store authenticates.
package struct StoreExamination: Sendable {
    /// A problem in a store. Identifies records by tag and contains no content.
    package struct Finding: Hashable, Sendable {
        /// A sentence to display.
        package let description: String
        /// The affected record, if it is a single one.
        package let record: RecordTag?
        /// The affected partition, if known.
        package let partition: PartitionTag?
        /// Whether data is lost or cannot be trusted; other problems need no repair by the user.
        package let isDamage: Bool

        package init(_ description: String, record: RecordTag? = nil, partition: PartitionTag?, isDamage: Bool) {
            self.description = description
            self.record = record
            self.partition = partition
            self.isDamage = isDamage
        }
    }

    /// The findings in the order of their discovery.
    package let findings: [Finding]
    /// The number of bytes read.
    package let byteCount: UInt64
    /// The readable partitions, if verification read them, to save reading them again.
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
