// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import GroupDirectory
package import RecordStorage
package import Sealing
internal import SystemPackage

/// Writes all items of a group while its records are being migrated to the keyring, or removes them. No other process
/// may use the items meanwhile. Thread-safe.
package final class KeyringBulkLoader: Sendable {
    private let directory: GroupDirectory
    private let items: KeyringItems
    private let keys: KeyringKeys
    private let limits: SecretServiceLimits
    /// The time for each part; restarts whenever the keyring has accepted one.
    private let time: WaitingTime

    package init(
        in directory: GroupDirectory,
        _ location: SecretServiceLocation,
        keys: GroupKeys,
        _ time: WaitingTime,
        limits: SecretServiceLimits = .standard
    ) throws(StorageError) {
        self.directory = directory
        items = try KeyringItems(SecretServiceClient(location), directory.name)
        self.keys = try KeyringKeys(keys)
        self.limits = limits
        self.time = time
    }

    /// Closes the connection.
    package func close() { items.client.close() }

    /// Checks that the keyring can store the group.
    ///
    /// - Throws: ``StorageError/Code/groupElsewhere`` if it holds a group of this name, ``StorageError/Code/keyringLocked``
    ///   and other errors of the keyring.
    package func checkRoom() throws(StorageError) {
        try items.run(until: time.deadline) { calls throws(SecretServiceError) in try calls.unlock() }
        guard try items.keyItems(until: time.deadline, prompts: .never).isEmpty else {
            throw StorageError(
                .groupElsewhere,
                path: directory.path.string,
                detail: "the keyring already has a group of this name, which belongs to another folder",
                advice: "Export this group and import it into one of another name, or remove the other one"
            )
        }
    }

    private static func hasSeveral(_ directory: GroupDirectory) -> StorageError {
        StorageError(
            .groupElsewhere,
            path: directory.path.string,
            detail: "the keyring also has another group of this name, so nothing was removed from it",
            advice: "Run cachetool migrate --to file in the folder of the other one, or remove it there"
        )
    }

    /// Removes items whose key is missing, and creates the key item.
    package func begin() throws(StorageError) {
        try checkRoom()
        try Self.removeItems(items, time)
        try items.makeFirstKeyItem(for: keys.group, until: time.deadline)
    }

    /// Writes all records of one partition.
    ///
    /// - Throws: ``StorageError/Code/tooLarge``.
    package func put(_ records: [RelocatedRecord], as sequence: UInt64) throws(StorageError) {
        guard let partition = records.first?.record.partition else { return }
        let size = records.reduce(0) { $0 + $1.record.facts.count + $1.record.secret.count }
        guard size <= limits.partitionByteCount else {
            let detail = "one account has \(size) bytes; the limit in the keyring is \(limits.partitionByteCount)"
            throw StorageError(.tooLarge, detail: detail)
        }
        let item = PartitionItem(
            partition: partition,
            epoch: keys.epoch,
            sequence: sequence,
            records: records.map {
                KeyringRecord(
                    tag: $0.record.tag,
                    kind: $0.record.kind,
                    sequence: $0.sequence,
                    facts: $0.record.facts,
                    secret: $0.record.secret,
                    searchTags: $0.record.searchTags
                )
            }.sorted { $0.tag < $1.tag }
        )
        let attributes = items.attributes.all(.partition, tag: KeyringAttributes.text(partition))
        try create(attributes, .sealed(Base64.encode(item.encoded(keys))))
        time.restart()
    }

    /// Records the sequence to continue from, once all partitions are written.
    package func finish(_ sequence: UInt64) throws(StorageError) {
        let anchor = items.attributes.all(.anchor, tag: KeyringAttributes.anchorTag)
        try create(anchor, .sealed(Base64.encode(AnchorItem.encode(sequence: sequence, keys))))
    }

    private func create(_ attributes: [(key: String, value: String)], _ text: SecretText) throws(StorageError) {
        _ = try items.run(until: time.deadline) { calls throws(SecretServiceError) in
            try calls.create(attributes, label: KeyringAttributes.label, text)
        }
    }

    /// Opens a store on these items, regardless of the folder's state, with a list built from the items. The caller holds
    /// the writer's lock.
    package func store() throws(StorageError) -> SecretServiceStore {
        let found = try items.keyItems(until: time.deadline, prompts: .never)
        guard let kept = KeyItems(found, of: keys.group.uuid.description), kept.isFinal, kept.superseded.isEmpty,
            try kept.newest.unlock().allSatisfy({ $0.isEqual(to: keys.group) })
        else { throw StorageError(.keyringItemMissing, detail: "the key that was just saved is not in the keyring") }
        let chain = try KeyringKeyChain(kept) { _ in }
        let own = try KeyringItems(SecretServiceClient(items.client.location), directory.name)
        let store = SecretServiceStore(directory, items: own, chain: chain, resealing: .records, limits: limits)
        let list = try items.scan(chain, until: time.deadline)
        try store.writeList(list)
        return store
    }

    /// The newest transaction of a group in the keyring, regardless of the folder; `nil` if the keyring has no key of the
    /// group. Makes no changes.
    ///
    /// - Throws: ``StorageError/Code/foreign`` if it holds other keys under the same UUID, and errors of the keyring.
    package static func newest(
        of keys: GroupKeys,
        in directory: GroupDirectory,
        _ location: SecretServiceLocation,
        until deadline: Deadline
    ) throws(StorageError) -> UInt64? {
        let items = try KeyringItems(SecretServiceClient(location), directory.name)
        defer { items.client.close() }
        try items.run(until: deadline) { calls throws(SecretServiceError) in try calls.unlock() }
        let found = try items.keyItems(until: deadline, prompts: .never)
        guard let kept = KeyItems(found, of: keys.uuid.description) else { return nil }
        for item in found where item.content.group == keys.uuid {
            guard try item.content.unlock().allSatisfy({ $0.areOfSameGroup(as: keys) }) else {
                throw StorageError(
                    .foreign,
                    detail: "the keyring has a group of the same name and UUID with other keys"
                )
            }
        }
        let chain = try KeyringKeyChain(kept) { _ in }
        return try items.scan(chain, until: deadline).sequence
    }

    /// Removes the list and all items of the group without its keys, except key slots of the encrypted file and its
    /// anchor. If the call is interrupted, items already removed stay removed.
    ///
    /// - Throws: ``StorageError/Code/groupElsewhere`` if the keyring has another group of this name too.
    package static func removeAll(
        of group: GroupUUID,
        in directory: GroupDirectory,
        _ location: SecretServiceLocation,
        within time: WaitingTime
    ) throws(StorageError) {
        let items = try KeyringItems(SecretServiceClient(location), directory.name)
        defer { items.client.close() }
        try items.run(until: time.deadline) { calls throws(SecretServiceError) in try calls.unlock() }
        let found = try items.keyItems(until: time.deadline, prompts: .never).map(\.content.group)
        // Without a key item, no item can be identified as the group's.
        if found.contains(group) {
            guard found.allSatisfy({ $0 == group }) else { throw hasSeveral(directory) }
            try removeItems(items, time)
        }
        try directory.removeFile(SecretServiceStore.listName)
    }

    private static func removeItems(_ items: KeyringItems, _ time: WaitingTime) throws(StorageError) {
        // Remove the key last, because it identifies the other items as this group's.
        for role in [KeyringAttributes.Role.partition, .anchor, .key] {
            let search = items.attributes.some(role)
            let found = try items.run(until: time.deadline) { calls throws(SecretServiceError) in
                try calls.search(search)
            }
            for item in found {
                try items.run(until: time.deadline) { calls throws(SecretServiceError) in try calls.delete(item) }
                time.restart()
            }
        }
    }
}
