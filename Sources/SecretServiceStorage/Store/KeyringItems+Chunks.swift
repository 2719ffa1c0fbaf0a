// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import Sealing

/// Reads many items with few calls.
extension KeyringItems {
    /// The limits of one chunk: the number of items, and the bytes of their text.
    private static let chunkCount = 256
    private static let chunkByteCount = 16 << 20

    /// Reads all partition items in chunks and passes each to `body`, with `nil` if it cannot be read.
    func forEachPartitionItem(
        _ chain: KeyringKeyChain,
        until deadline: Deadline,
        _ body: (KeyringItem, ReadItem?) -> Void
    ) throws(StorageError) {
        let partitions = attributes.some(.partition)
        let found = try run(until: deadline) { calls throws(SecretServiceError) in try calls.search(partitions) }
        var rest = found[...]
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(Self.chunkCount))
            let (contents, count) = try run(until: deadline) { calls throws(SecretServiceError) in
                // Open items inside the call, while the service prepares the next ones.
                try calls.secrets(of: chunk, upTo: Self.chunkByteCount) { text in
                    Base64.decode(text).map { ReadItem($0, chain) }
                }
            }
            rest = rest.dropFirst(count)
            for item in chunk.prefix(count) { body(item, (try? contents[item.path]?.get()) ?? nil) }
        }
    }

    /// The result of reading an item.
    struct ReadItem: Sendable {
        let byteCount: Int
        /// Whether it claims to belong to another group. After a group has lost its key and was recreated, items of the
        /// old group remain that cannot be opened.
        let isForeign: Bool
        /// The epoch that it claims; `nil` if this library did not write it.
        let epoch: UInt32?
        /// `nil` if it does not verify, or its keys are not known.
        let partition: PartitionItem?

        init(_ bytes: [UInt8], _ chain: KeyringKeyChain) {
            byteCount = bytes.count
            isForeign = PartitionItem.group(of: bytes).map { $0 != chain.newest.group.uuid } ?? false
            epoch = isForeign ? nil : PartitionItem.epoch(of: bytes)
            partition = try? PartitionItem(bytes, chain)
        }
    }

    /// The partitions to which exactly one item belongs, according to its content. Omits items that do not verify.
    ///
    /// - Throws: ``StorageError/Code/keyMissing`` if an item claims a later epoch than any known keys.
    func allPartitions(
        _ chain: KeyringKeyChain,
        until deadline: Deadline
    ) throws(StorageError) -> [PartitionTag: (PartitionItem, byteCount: Int)] {
        var found: [PartitionTag: [(PartitionItem, byteCount: Int)]] = [:]
        var hasNewerKeys = false
        try forEachPartitionItem(chain, until: deadline) { _, content in
            guard let content else { return }
            if let epoch = content.epoch, epoch > chain.newest.epoch { hasNewerKeys = true }
            if let item = content.partition { found[item.partition, default: []].append((item, content.byteCount)) }
        }
        if hasNewerKeys { throw StorageError(.keyMissing, detail: "the keys of the group were changed") }
        return found.compactMapValues { $0.count == 1 ? $0[0] : nil }
    }
}
