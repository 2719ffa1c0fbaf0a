/// What a store in a keyring takes. Every change rewrites an item, and some services their whole file.
package struct SecretServiceLimits: Hashable, Sendable {
    /// The most bytes that the records of one partition have together, sealed.
    package let partitionByteCount: Int
    /// The most partitions.
    package let partitionCount: Int

    package static let standard = SecretServiceLimits(partitionByteCount: 1 << 20, partitionCount: 1000)

    package init(partitionByteCount: Int, partitionCount: Int) {
        self.partitionByteCount = partitionByteCount
        self.partitionCount = partitionCount
    }
}
