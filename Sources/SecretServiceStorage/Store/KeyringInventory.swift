// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// All partition items that the keyring holds under the name of a group, usable or not.
struct KeyringInventory {
    struct Entry {
        let item: KeyringItem
        /// The partition that its attributes name; `nil` if they name none.
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

    /// Reads all partition items with their attributes. Each answer of the keyring restarts `time`.
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
                        // Skip an item that was removed in the meantime.
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

    /// The text of each of these items. Omits unreadable items.
    func texts(of items: [KeyringItem], until deadline: Deadline) throws(StorageError) -> [(
        item: KeyringItem, text: [UInt8]
    )] {
        let contents = try run(until: deadline) { calls throws(SecretServiceError) in
            try calls.secrets(of: items) { $0.copied() }
        }
        return items.compactMap { item in (try? contents[item.path]?.get()).map { (item, $0) } }
    }
}
