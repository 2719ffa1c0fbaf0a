internal import ByteOperations
internal import RecordStorage

/// Every item with records that the keyring has under the name of a group, whether or not it can be used.
struct KeyringInventory {
    struct Entry {
        let item: KeyringItem
        /// The partition in whose place it lies, as its attributes say; `nil` if they say none.
        let location: PartitionTag?
        /// `nil` if its secret cannot be had.
        let read: KeyringItems.ReadItem?
    }

    var entries: [Entry] = []
    /// The sequence that the anchor remembers.
    var anchor: UInt64 = 0
}

extension KeyringItems {
    private static let attributesChunkCount = 64

    /// Reads all of them, with their attributes. `time` begins anew with each part that the keyring has answered for.
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
                        // It went meanwhile.
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

    /// What these items hold, as text. Those that cannot be had are left out.
    func texts(of items: [KeyringItem], until deadline: Deadline) throws(StorageError) -> [(
        item: KeyringItem, text: [UInt8]
    )] {
        let contents = try run(until: deadline) { calls throws(SecretServiceError) in
            try calls.secrets(of: items) { $0.copied() }
        }
        return items.compactMap { item in (try? contents[item.path]?.get()).map { (item, $0) } }
    }
}
