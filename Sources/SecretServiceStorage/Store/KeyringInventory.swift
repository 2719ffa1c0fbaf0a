// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// Every item with records that the keyring holds under the name of a group, usable or not.
struct KeyringInventory {
    struct Entry {
        let item: KeyringItem
        /// The partition in its attributes; `nil` if they have none.
        let location: PartitionTag?
        /// `nil` if its secret cannot be read.
        let read: KeyringItems.ReadItem?
    }

    var entries: [Entry] = []
    /// The sequence in the anchor.
    var anchor: UInt64 = 0
}

extension KeyringItems {
    private static let attributesChunkCount = 64

    /// Reads all of them with their attributes. Each answer of the keyring restarts `time`.
    func inventory(_ chain: KeyringKeyChain, within time: WaitingTime) throws(StorageError) -> KeyringInventory {
        var inventory = KeyringInventory()
        inventory.anchor = try anchorSequence(chain, until: time.deadline)
        var found: [(item: KeyringItem, read: ReadItem?)] = []
        try forEachPartitionItem(chain, until: time.deadline) { found.append(($0, $1)) }
        time.restart()
        var rest = found[...]
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(Self.attributesChunkCount))
            rest = rest.dropFirst(chunk.count)
            let locations = try run(until: time.deadline) { calls throws(SecretServiceError) in
                var locations: [String: PartitionTag?] = [:]
                for (item, _) in chunk {
                    do throws(SecretServiceError) {
                        let tag = try calls.attributes(of: item).first { $0.key == KeyringAttributes.tagName }
                        locations[item.path] = .some(tag.flatMap { KeyringAttributes.partition($0.value) })
                    } catch {
                        // The item was removed in the meantime.
                        guard error.code == .itemMissing else { throw error }
                    }
                }
                return locations
            }
            for (item, read) in chunk {
                guard let location = locations[item.path] else { continue }
                inventory.entries.append(KeyringInventory.Entry(item: item, location: location, read: read))
            }
            time.restart()
        }
        return inventory
    }

    /// The content of these items as text. Items that cannot be read are omitted.
    func texts(of items: [KeyringItem], until deadline: Deadline) throws(StorageError) -> [(
        item: KeyringItem, text: [UInt8]
    )] {
        let contents = try run(until: deadline) { calls throws(SecretServiceError) in
            try calls.secrets(of: items) { $0.copied() }
        }
        return items.compactMap { item in (try? contents[item.path]?.get()).map { (item, $0) } }
    }
}
