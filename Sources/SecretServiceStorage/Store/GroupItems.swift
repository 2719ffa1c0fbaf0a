// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import GroupDirectory
package import RecordStorage
package import Sealing

/// The items of one group in all collections of a keyring: its keys, its records, and the secrets that open its file.
/// Used to remove the group. Thread-safe.
package final class GroupItems: Sendable {
    /// The number of items of a group.
    package struct Count: Hashable, Sendable {
        /// The number of items that belong to the group.
        package var own = 0
        /// The number of items that may belong to it, because they are locked or their content does not tell.
        package var unreadable = 0
    }

    private let items: KeyringItems

    /// - Parameters:
    ///   - name: the group.
    ///   - location: the keyring.
    /// - Throws: ``StorageError/Code/system`` if memory for keys is exhausted, ``StorageError/Code/forkedProcess``.
    package init(_ name: GroupName, _ location: SecretServiceLocation) throws(StorageError) {
        items = try KeyringItems(SecretServiceClient(location), name)
    }

    /// Prompts the user to unlock the collections that have items of this name.
    package func unlock(until deadline: Deadline) throws(StorageError) {
        let attributes = items.attributes.shared
        try items.run(until: deadline, prompts: .allowed) { calls throws(SecretServiceError) in
            try calls.unlock()
            for item in try calls.searchAllCollections(attributes) { _ = try calls.unlocked(item) }
        }
    }

    /// Closes the connection.
    package func close() { items.client.close() }

    /// Counts the items of the group.
    ///
    /// - Throws: errors of the keyring, such as ``StorageError/Code/keyringLocked`` if it does not even list the items.
    package func count(of group: GroupUUID, until deadline: Deadline) throws(StorageError) -> Count {
        let found = try find(group, until: deadline)
        return Count(own: found.own.count, unreadable: found.unreadableCount)
    }

    /// The number of items of all groups of this name, locked ones included.
    ///
    /// - Throws: as ``count(of:until:)``.
    package func countOfName(until deadline: Deadline) throws(StorageError) -> Int {
        var count = 0
        for role in Self.roles {
            let found = try search(role, until: deadline)
            count += found.open.count + found.lockedCount
        }
        return count
    }

    /// Whether the keyring holds the keys of this group, an anchor of it, or the secret of one of its key slots. Locked
    /// items do not count.
    ///
    /// - Parameters:
    ///   - group: the group.
    ///   - countsSlots: whether the secret of a key slot counts.
    ///   - deadline: the time limit.
    /// - Returns: whether there is such an item.
    /// - Throws: errors of the keyring.
    package func hasGroup(
        _ group: GroupUUID,
        countsSlots: Bool,
        until deadline: Deadline
    ) throws(StorageError) -> Bool {
        let roles: [KeyringAttributes.Role] = [.key, .anchor, .fileAnchor] + (countsSlots ? [.slot] : [])
        for role in roles {
            let owners = try owners(of: search(role, until: deadline).open, until: deadline)
            if owners.values.contains(group) { return true }
        }
        return false
    }

    /// Removes the items of the group, but not those of another group of this name.
    ///
    /// - Parameters:
    ///   - group: the group.
    ///   - time: the time for each item; restarts with each removal.
    /// - Returns: the number of items removed, and of those left that may belong to the group.
    /// - Throws: errors of the keyring. Items removed before the error stay removed.
    package func remove(_ group: GroupUUID, within time: WaitingTime) throws(StorageError) -> Count {
        let found = try find(group, until: time.deadline)
        for item in found.own {
            time.restart()
            try items.run(until: time.deadline) { calls throws(SecretServiceError) in
                do throws(SecretServiceError) {
                    try calls.delete(item)
                } catch {
                    // Ignore an item that was removed in the meantime.
                    if error.code != .itemMissing { throw error }
                }
            }
        }
        return Count(own: found.own.count, unreadable: found.unreadableCount)
    }

    private struct Found: Sendable {
        /// The items to remove, in order. Key items come last, because they are needed to recognise the others.
        var own: [KeyringItem] = []
        var unreadableCount = 0
    }

    private static let roles: [KeyringAttributes.Role] = [.partition, .anchor, .fileAnchor, .slot, .key]
    private static let chunkCount = 256

    private func find(_ group: GroupUUID, until deadline: Deadline) throws(StorageError) -> Found {
        var found = Found()
        var unreadable: [(item: KeyringItem, position: Int)] = []
        var hasForeign = false
        for role in Self.roles {
            let (open, lockedCount) = try search(role, until: deadline)
            found.unreadableCount += lockedCount
            let owners = try owners(of: open, until: deadline)
            for item in open {
                // Skip an item that was removed in the meantime.
                guard let owner = owners[item.path] else { continue }
                switch owner {
                case group?: found.own.append(item)
                case nil: unreadable.append((item, found.own.count))
                case .some: hasForeign = true
                }
            }
        }
        // Attribute damaged items to this group only if the keyring holds no items of another group of this name.
        guard !hasForeign, !found.own.isEmpty else {
            found.unreadableCount += unreadable.count
            return found
        }
        for (item, position) in unreadable.reversed() { found.own.insert(item, at: position) }
        return found
    }

    private func search(
        _ role: KeyringAttributes.Role,
        until deadline: Deadline
    ) throws(StorageError) -> (open: [KeyringItem], lockedCount: Int) {
        let attributes = items.attributes.some(role)
        return try items.run(until: deadline) { calls throws(SecretServiceError) in
            let found = try calls.searchAllCollections(attributes)
            let open = found.filter { !$0.isLocked }
            return (open, found.count - open.count)
        }
    }

    /// The group of each item, by path; `nil` as the value if the content names no group. Omits items that no longer
    /// exist.
    private func owners(
        of found: [KeyringItem],
        until deadline: Deadline
    ) throws(StorageError) -> [String: GroupUUID?] {
        var owners: [String: GroupUUID?] = [:]
        for start in stride(from: 0, to: found.count, by: Self.chunkCount) {
            let chunk = Array(found[start..<min(start + Self.chunkCount, found.count)])
            let contents = try items.run(until: deadline) { calls throws(SecretServiceError) in
                try calls.secrets(of: chunk) { Self.owner(of: $0) }
            }
            for (path, content) in contents { owners[path] = .some((try? content.get()) ?? nil) }
        }
        return owners
    }

    /// The group named in the text of an item. All kinds of items name it at the same offset.
    private static func owner(of text: RawSpan) -> GroupUUID? {
        let (digitCount, magic) = (44, Array("stck".utf8))
        guard text.byteCount >= digitCount,
            let start = try? Base64.decode(secret: text.extracting(0..<digitCount))
        else { return nil }
        let bytes = start.bytes
        guard magic.indices.allSatisfy({ bytes.uint8(at: $0) == magic[$0] }) else { return nil }
        return GroupUUID(bytes: (16..<32).map { bytes.uint8(at: $0) })
    }
}
