// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

extension KeyringItems {
    /// Reads all partitions of the group, in chunks of many items per call, and the sequence of the anchor.
    ///
    /// An item that does not verify does not affect the others. It is listed as ``ItemList/Row/unreadable``, to
    /// distinguish it from a missing item. Omits items of another group.
    ///
    /// - Throws: ``StorageError/Code/keyMissing`` if an item claims a later epoch than any known keys.
    func scan(_ chain: KeyringKeyChain, until deadline: Deadline) throws(StorageError) -> ItemList {
        var scan = Scan(list: ItemList(epoch: chain.newest.epoch, sequence: 0))
        try forEachPartitionItem(chain, until: deadline) { item, content in scan.take(item, read: content, chain: chain)
        }
        if scan.hasNewerKeys { throw StorageError(.keyMissing, detail: "the keys of the group were changed") }
        try check(&scan, until: deadline)
        scan.list.sequence = max(scan.list.sequence, try anchorSequence(chain, until: deadline))
        var list = scan.list
        // Earlier erasures are unknown now.
        list.erasures = ErasureList(forgottenThrough: list.sequence)
        list.rows = list.rows.filter { $0.value.recordCount > 0 }
        return list
    }

    /// The partitions whose items are all sealed with `keys`, and those that still have an item sealed with older keys.
    func partitions(
        sealedWith keys: KeyringKeys,
        _ chain: KeyringKeyChain,
        until deadline: Deadline
    ) throws(StorageError) -> (moved: Set<PartitionTag>, older: Set<PartitionTag>) {
        var (found, older): (Set<PartitionTag>, Set<PartitionTag>) = ([], [])
        try forEachPartitionItem(chain, until: deadline) { _, content in
            guard let content = content?.partition else { return }
            if content.epoch == keys.epoch { found.insert(content.partition) } else { older.insert(content.partition) }
        }
        return (found.subtracting(older), older)
    }

    /// The sequence in the anchor; 0 if no anchor verifies.
    func anchorSequence(_ chain: KeyringKeyChain, until deadline: Deadline) throws(StorageError) -> UInt64 {
        let anchors = attributes.some(.anchor)
        let texts = try run(until: deadline) { calls throws(SecretServiceError) in
            try calls.secrets(of: calls.search(anchors)) { Base64.decode($0) }.values.map { try? $0.get() }
        }
        var sequence: UInt64 = 0
        for case let text?? in texts { sequence = max(sequence, try AnchorItem.sequence(text, chain) ?? 0) }
        return sequence
    }

    /// The results of a scan so far.
    private struct Scan {
        var list: ItemList
        /// The items of each partition according to their content.
        var claims: [PartitionTag: [(item: KeyringItem, row: ItemList.Row)]] = [:]
        var unreadable: [KeyringItem] = []
        var hasNewerKeys = false

        mutating func take(_ item: KeyringItem, read: ReadItem?, chain: KeyringKeyChain) {
            if read?.isForeign == true { return }
            if let epoch = read?.epoch, epoch > chain.newest.epoch { hasNewerKeys = true }
            guard let read, let content = read.partition else {
                unreadable.append(item)
                return
            }
            claims[content.partition, default: []].append((item, ItemList.Row(content, byteCount: read.byteCount)))
            list.sequence = max(list.sequence, content.sequence)
        }
    }

    /// Assigns items to partitions. Reads the attributes only of ambiguous and unreadable items.
    private func check(_ scan: inout Scan, until deadline: Deadline) throws(StorageError) {
        let doubtful = scan.claims.values.filter { $0.count > 1 }.flatMap { $0.map(\.item) } + scan.unreadable
        let tags = try run(until: deadline) { calls throws(SecretServiceError) in
            var tags: [String: PartitionTag] = [:]
            for item in doubtful {
                do throws(SecretServiceError) {
                    let tag = try calls.attributes(of: item).first { $0.key == KeyringAttributes.tagName }
                    tags[item.path] = tag.flatMap { KeyringAttributes.partition($0.value) }
                } catch {
                    // Skip an item that was removed in the meantime.
                    guard error.code == .itemMissing else { throw error }
                }
            }
            return tags
        }
        // An item that holds another partition's content may stand in for a missing item: list its partition as
        // unreadable.
        for item in doubtful {
            if let tag = tags[item.path] { scan.list.rows[tag] = .unreadable }
        }
        for (tag, claims) in scan.claims {
            let own = claims.count == 1 ? claims : claims.filter { tags[$0.item.path] == tag }
            if let newest = own.map(\.row).max(by: { $0.sequence < $1.sequence }) { scan.list.rows[tag] = newest }
        }
    }
}
