internal import RecordStorage

extension KeyringItems {
    /// The most items in one answer, and how many bytes of them, before they became text.
    private static let chunkCount = 256
    private static let chunkByteCount = 16 << 20

    /// All partitions of the group, and the sequence of the anchor. In chunks, one call for many items.
    ///
    /// One that does not verify keeps nobody from the others. It is listed as ``ItemList/Row/unreadable``, so that it is
    /// not taken for one that is not there.
    func scan(_ keys: KeyringKeys, until deadline: Deadline) throws(StorageError) -> ItemList {
        let partitions = attributes.some(.partition)
        let anchors = attributes.some(.anchor)
        let found = try run(until: deadline) { calls throws(SecretServiceError) in
            (try calls.search(partitions), try calls.search(anchors))
        }
        var scan = Scan(list: ItemList(epoch: keys.epoch, sequence: 0))
        var rest = found.0[...]
        var largest = 1 << 20
        while !rest.isEmpty {
            let count = max(1, min(Self.chunkCount, Self.chunkByteCount / largest))
            let chunk = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            let contents = try run(until: deadline) { calls throws(SecretServiceError) in
                try calls.secrets(of: chunk) { Base64.decode($0) }
            }
            // Until sizes are known an item may be as large as one can be.
            largest = 4096
            for item in chunk {
                let bytes = (try? contents[item.path]?.get()) ?? nil
                largest = max(largest, bytes?.count ?? 0)
                scan.take(item, bytes, keys)
            }
        }
        try check(&scan, keys, until: deadline)
        let anchorItems = found.1
        let texts = try run(until: deadline) { calls throws(SecretServiceError) in
            try calls.secrets(of: anchorItems) { Base64.decode($0) }.values.map { try? $0.get() }
        }
        for case let text?? in texts {
            scan.list.sequence = max(scan.list.sequence, try AnchorItem.sequence(text, keys) ?? 0)
        }
        var list = scan.list
        // What was removed before is not known any more.
        list.erasures = ErasureList(forgottenThrough: list.sequence)
        list.rows = list.rows.filter { $0.value.recordCount > 0 }
        return list
    }

    /// What a scan has found so far.
    private struct Scan {
        var list: ItemList
        /// The items that say that they are of a partition.
        var claims: [PartitionTag: [(item: KeyringItem, row: ItemList.Row)]] = [:]
        var unreadable: [KeyringItem] = []

        mutating func take(_ item: KeyringItem, _ bytes: [UInt8]?, _ keys: KeyringKeys) {
            guard let bytes, let content = try? PartitionItem(bytes, keys) else {
                unreadable.append(item)
                return
            }
            claims[content.partition, default: []].append((item, ItemList.Row(content, byteCount: bytes.count)))
            list.sequence = max(list.sequence, content.sequence)
        }
    }

    /// Settles which item is of which partition. Asks for the attributes of those only that are in doubt.
    private func check(_ scan: inout Scan, _ keys: KeyringKeys, until deadline: Deadline) throws(StorageError) {
        let doubtful = scan.claims.values.filter { $0.count > 1 }.flatMap { $0.map(\.item) } + scan.unreadable
        let tags = try run(until: deadline) { calls throws(SecretServiceError) in
            var tags: [String: PartitionTag] = [:]
            for item in doubtful {
                do throws(SecretServiceError) {
                    let text = try calls.attribute(KeyringAttributes.tagName, of: item)
                    tags[item.path] = text.flatMap { KeyringAttributes.partition($0) }
                } catch {
                    // It went meanwhile.
                    guard error.code == .itemMissing else { throw error }
                }
            }
            return tags
        }
        // One that has the content of another one lies in the place of what is missing.
        for item in doubtful {
            if let tag = tags[item.path] { scan.list.rows[tag] = .unreadable }
        }
        for (tag, claims) in scan.claims {
            let own = claims.count == 1 ? claims : claims.filter { tags[$0.item.path] == tag }
            if let newest = own.map(\.row).max(by: { $0.sequence < $1.sequence }) { scan.list.rows[tag] = newest }
        }
    }
}
