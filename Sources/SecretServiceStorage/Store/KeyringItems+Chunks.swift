internal import RecordStorage

/// Reading of many items with few calls.
extension KeyringItems {
    /// The most items in one answer, and how many bytes of them, before they became text.
    private static let chunkCount = 256
    private static let chunkByteCount = 16 << 20

    /// Reads all items of partitions in chunks, and gives `body` the bytes of each; `nil` for one that cannot be had.
    /// `deadline` is asked for each chunk anew.
    func forEachPartitionItem(
        until deadline: () -> Deadline,
        _ body: (KeyringItem, [UInt8]?) -> Void
    ) throws(StorageError) {
        let partitions = attributes.some(.partition)
        let found = try run(until: deadline()) { calls throws(SecretServiceError) in try calls.search(partitions) }
        var rest = found[...]
        // Until sizes are known an item may be as large as one can be.
        var largest = 1 << 20
        while !rest.isEmpty {
            let count = max(1, min(Self.chunkCount, Self.chunkByteCount / largest))
            let chunk = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            let contents = try run(until: deadline()) { calls throws(SecretServiceError) in
                try calls.secrets(of: chunk) { Base64.decode($0) }
            }
            largest = 4096
            for item in chunk {
                let bytes = (try? contents[item.path]?.get()) ?? nil
                largest = max(largest, bytes?.count ?? 0)
                body(item, bytes)
            }
        }
    }

    /// The partitions that just one item is of, as far as its content says. What does not verify is left out.
    ///
    /// - Throws: ``StorageError/Code/keyMissing`` where one seems to be of a later epoch than is known.
    func allPartitions(_ chain: KeyringKeyChain) throws(StorageError) -> [PartitionTag: (PartitionItem, byteCount: Int)]
    {
        var found: [PartitionTag: [(PartitionItem, byteCount: Int)]] = [:]
        var hasNewerKeys = false
        try forEachPartitionItem(until: { .standard }) { _, bytes in
            guard let bytes else { return }
            if let epoch = PartitionItem.epoch(of: bytes), epoch > chain.newest.epoch { hasNewerKeys = true }
            if let item = try? PartitionItem(bytes, chain) {
                found[item.partition, default: []].append((item, bytes.count))
            }
        }
        if hasNewerKeys { throw StorageError(.keyMissing, detail: "the group has changed its key") }
        return found.compactMapValues { $0.count == 1 ? $0[0] : nil }
    }
}
