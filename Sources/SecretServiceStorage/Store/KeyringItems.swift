// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// Finds, reads and writes the items of one group in its collection: key items, partitions and the anchor, without
/// regard to locks and the list. ``GroupItems`` has those in all collections. Thread-safe.
struct KeyringItems: Sendable {
    let client: SecretServiceClient
    let attributes: KeyringAttributes

    init(_ client: SecretServiceClient, _ name: GroupName) throws(StorageError) {
        self.client = client
        attributes = try sealing(try KeyringAttributes(name))
    }

    /// Runs calls and converts errors to storage errors. With `needsKeyItem`, calls refuse to write to a keyring
    /// without a key of the group, because it must have replaced the keyring that holds the group.
    func run<Result: Sendable>(
        until deadline: Deadline,
        prompts: PromptPolicy = .never,
        needsKeyItem: Bool = false,
        _ body: @escaping @Sendable (KeyringCalls) throws(SecretServiceError) -> Result
    ) throws(StorageError) -> Result {
        do throws(SecretServiceError) {
            return try client.run(until: deadline, prompts: prompts) { [attributes] calls throws(SecretServiceError) in
                var calls = calls
                calls.witnesses = attributes.some(.key)
                calls.needsWitness = needsKeyItem
                return try body(calls)
            }
        } catch {
            throw StorageError(error)
        }
    }

    /// The valid key items of the group.
    func keyItems(
        until deadline: Deadline,
        prompts: PromptPolicy
    ) throws(StorageError) -> [(item: KeyringItem, content: KeyItem)] {
        let search = attributes.some(.key)
        return try run(until: deadline, prompts: prompts) { calls throws(SecretServiceError) in
            // Retry, because a change of keys may replace the item between the two calls.
            for _ in 0..<3 {
                let found = try calls.search(search)
                if found.isEmpty { return [] }
                if found.contains(where: \.isLocked) { try calls.unlock() }
                let open = found.map { KeyringItem(path: $0.path, isLocked: false) }
                let contents = try calls.secrets(of: open) { KeyItem.read($0) }
                let items = open.compactMap { item in
                    ((try? contents[item.path]?.get()) ?? nil).map { (item, $0) }
                }
                if !items.isEmpty { return items }
            }
            return []
        }
    }

    /// Creates a key item and reads it back.
    func makeKeyItem(for keys: [GroupKeys], until deadline: Deadline) throws(StorageError) {
        let text = try KeyItem.text(for: keys)
        let attributes = attributes.all(.key, tag: GroupUUID().description)
        _ = try run(until: deadline) { calls throws(SecretServiceError) in
            try calls.create(attributes, label: KeyringAttributes.label, text)
        }
        let made = try run(until: deadline) { calls throws(SecretServiceError) in
            let found = try calls.search(attributes)
            return try calls.secrets(of: found) { KeyItem.read($0) }.values.compactMap { try? $0.get() }.first
        }
        let kept = try made?.unlock() ?? []
        guard kept.count == keys.count, zip(kept, keys).allSatisfy({ $0.isEqual(to: $1) }) else {
            throw StorageError(.keyringItemMissing, detail: "the key that was just saved is not in the keyring")
        }
    }

    /// Creates the key item of a new group. On failure it retries in another session, because no earlier transfer has
    /// proven that this session keeps secrets intact.
    func makeFirstKeyItem(for keys: GroupKeys, until deadline: Deadline) throws(StorageError) {
        var triesLeft = 3
        while true {
            triesLeft -= 1
            do throws(StorageError) {
                return try makeKeyItem(for: [keys], until: deadline)
            } catch {
                let isSessionInDoubt = error.code == .keyringRefused || error.code == .keyringItemMissing
                guard isSessionInDoubt, triesLeft > 0 else { throw error }
                client.disconnect()
            }
        }
    }

    /// The item of one partition; `nil` if the keyring has none.
    ///
    /// - Throws: ``StorageError/Code/damaged`` if none of its items verifies; ``StorageError/Code/keyMissing`` if one
    ///   claims a later epoch than any known keys.
    func partition(
        _ tag: PartitionTag,
        _ chain: KeyringKeyChain,
        until deadline: Deadline
    ) throws(StorageError) -> (item: PartitionItem, byteCount: Int)? {
        let search = attributes.all(.partition, tag: KeyringAttributes.text(tag))
        let contents = try run(until: deadline) { calls throws(SecretServiceError) in
            let found = try calls.search(search)
            let contents = try calls.secrets(of: found) { Base64.decode($0) }
            // Search again: the item may have been removed between the two calls. If it still exists, it is damaged.
            if contents.isEmpty, !found.isEmpty, try !calls.search(search).isEmpty {
                throw SecretServiceError(.itemDamaged)
            }
            return contents.values.map { try? $0.get() }
        }
        if contents.isEmpty { return nil }
        var newest: (item: PartitionItem, byteCount: Int)?
        var failure = StorageError(SecretServiceError(.itemDamaged))
        for case let bytes? in contents
        where PartitionItem.group(of: bytes) ?? chain.newest.group.uuid == chain.newest.group.uuid {
            if let epoch = PartitionItem.epoch(of: bytes), epoch > chain.newest.epoch {
                throw StorageError(.keyMissing, detail: "the keys of the group were changed")
            }
            do throws(StorageError) {
                let item = try PartitionItem(bytes, chain)
                guard item.partition == tag else { continue }
                if (item.sequence, item.epoch) >= (newest?.item.sequence ?? 0, newest?.item.epoch ?? 0) {
                    newest = (item, bytes.count)
                }
            } catch {
                failure = error
            }
        }
        guard let newest else { throw failure }
        return newest
    }
}
