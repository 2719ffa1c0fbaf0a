internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// The items of one group: finds, reads and writes them. Knows nothing of locks and lists. Safe to use from any thread.
struct KeyringItems: Sendable {
    let client: SecretServiceClient
    let attributes: KeyringAttributes

    /// The most items in one answer, and how many bytes of them, before they became text.
    private static let chunkCount = 256
    private static let chunkByteCount = 16 << 20

    init(_ client: SecretServiceClient, _ name: GroupName) throws(StorageError) {
        self.client = client
        do throws(SealingError) {
            attributes = try KeyringAttributes(name)
        } catch {
            throw StorageError(sealing: error)
        }
    }

    /// Runs calls, with the errors of stores.
    func run<Result: Sendable>(
        until deadline: Deadline,
        prompts: PromptPolicy = .never,
        _ body: @escaping @Sendable (KeyringCalls) throws(SecretServiceError) -> Result
    ) throws(StorageError) -> Result {
        do throws(SecretServiceError) {
            return try client.run(until: deadline, prompts: prompts, body)
        } catch {
            throw StorageError(error)
        }
    }

    /// The key items of the group. Those that make no sense are left out.
    func keyItems(until deadline: Deadline, prompts: PromptPolicy) throws(StorageError) -> [KeyItem] {
        let search = attributes.some(.key)
        return try run(until: deadline, prompts: prompts) { calls throws(SecretServiceError) in
            let found = try calls.search(search)
            if found.isEmpty { return [] }
            if found.contains(where: \.isLocked) { try calls.unlock() }
            let open = found.map { KeyringItem(path: $0.path, isLocked: false) }
            return try calls.secrets(of: open) { KeyItem.read($0) }.values.compactMap(\.self)
        }
    }

    /// The item of one partition; `nil` where there is none.
    ///
    /// - Throws: ``StorageError/Code/damaged`` where there is one that does not verify, and none that does.
    func partition(
        _ tag: PartitionTag,
        _ keys: KeyringKeys,
        until deadline: Deadline
    ) throws(StorageError) -> (item: PartitionItem, byteCount: Int)? {
        let search = attributes.all(.partition, tag: KeyringAttributes.text(tag))
        let contents = try run(until: deadline) { calls throws(SecretServiceError) in
            let found = try calls.search(search)
            let contents = try calls.secrets(of: found) { Base64.decode($0) }
            // Between the two it may have been removed; what stays away without that is damaged.
            if contents.isEmpty, !found.isEmpty, try !calls.search(search).isEmpty {
                throw SecretServiceError(.itemDamaged)
            }
            return contents.values.map(\.self)
        }
        if contents.isEmpty { return nil }
        var newest: (item: PartitionItem, byteCount: Int)?
        var failure = StorageError(SecretServiceError(.itemDamaged))
        for case let bytes? in contents {
            do throws(StorageError) {
                let item = try PartitionItem(bytes, keys)
                guard item.partition == tag else { continue }
                if item.sequence >= newest?.item.sequence ?? 0 { newest = (item, bytes.count) }
            } catch {
                failure = error
            }
        }
        guard let newest else { throw failure }
        return newest
    }

    /// All partitions of the group, and the sequence of the anchor. In chunks, one call for many items.
    ///
    /// - Throws: ``StorageError/Code/damaged`` where one does not verify.
    func scan(_ keys: KeyringKeys, until deadline: Deadline) throws(StorageError) -> ItemList {
        let partitions = attributes.some(.partition)
        let anchors = attributes.some(.anchor)
        let found = try run(until: deadline) { calls throws(SecretServiceError) in
            (try calls.search(partitions), try calls.search(anchors))
        }
        var list = ItemList(epoch: keys.epoch, sequence: 0)
        var rest = found.0[...]
        var largest = 1 << 20
        while !rest.isEmpty {
            let count = max(1, min(Self.chunkCount, Self.chunkByteCount / largest))
            let chunk = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            let contents = try run(until: deadline) { calls throws(SecretServiceError) in
                try calls.secrets(of: chunk) { Base64.decode($0) }.values.map(\.self)
            }
            // Until sizes are known an item may be as large as one can be.
            largest = max(4096, contents.map { $0?.count ?? 0 }.max() ?? 0)
            for content in contents {
                guard let content else { throw StorageError(SecretServiceError(.itemDamaged)) }
                let item = try PartitionItem(content, keys)
                let row = ItemList.Row(item, byteCount: content.count)
                if row.sequence >= list.rows[item.partition]?.sequence ?? 0 { list.rows[item.partition] = row }
                list.sequence = max(list.sequence, item.sequence)
            }
        }
        let anchorItems = found.1
        let texts = try run(until: deadline) { calls throws(SecretServiceError) in
            try calls.secrets(of: anchorItems) { Base64.decode($0) }.values.map(\.self)
        }
        for case let text? in texts {
            list.sequence = max(list.sequence, try AnchorItem.sequence(text, keys) ?? 0)
        }
        // What was removed before is not known any more.
        list.erasures = ErasureList(forgottenThrough: list.sequence)
        list.rows = list.rows.filter { $0.value.recordCount > 0 }
        return list
    }
}
