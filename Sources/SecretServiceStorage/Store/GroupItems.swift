// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import GroupDirectory
package import RecordStorage
package import Sealing

/// The items of one group in all collections of a keyring: its keys, its records, and what opens its file. For the
/// removal of the group. Safe to use from any thread.
package final class GroupItems: Sendable {
    /// How many items of a group there are.
    package struct Count: Hashable, Sendable {
        /// Those that belong to the group.
        package var own = 0
        /// Those that may belong to it: locked ones, and those whose content does not show it.
        package var unreadable = 0
    }

    private let items: KeyringItems

    /// - Parameters:
    ///   - name: the group.
    ///   - location: the keyring.
    /// - Throws: ``StorageError/Code/system`` if there is no memory for keys, ``StorageError/Code/forkedProcess``.
    package init(_ name: GroupName, _ location: SecretServiceLocation) throws(StorageError) {
        items = try KeyringItems(SecretServiceClient(location), name)
    }

    /// Prompts the user to unlock the collections that have items of this name.
    package func unlock(until deadline: Deadline) throws(StorageError) {
        let attributes = items.attributes.shared
        try items.run(until: deadline, prompts: .allowed) { calls throws(SecretServiceError) in
            try calls.unlock()
            for item in try calls.searchEverywhere(attributes) { _ = try calls.unlocked(item) }
        }
    }

    /// Ends the connection.
    package func close() { items.client.close() }

    /// Counts the items of the group.
    ///
    /// - Throws: errors of the keyring, such as ``StorageError/Code/keyringLocked`` if it does not even show which items
    ///   there are.
    package func count(of group: GroupUUID, until deadline: Deadline) throws(StorageError) -> Count {
        let found = try find(group, until: deadline)
        return Count(own: found.own.count, unreadable: found.unreadableCount)
    }

    /// Removes the items of the group. Those of another group of this name stay. If it is interrupted, what was removed
    /// stays removed.
    ///
    /// - Parameters:
    ///   - group: the group.
    ///   - time: restarts with each item that was removed.
    /// - Returns: the number of items removed, and of those that may belong to the group and stay.
    /// - Throws: errors of the keyring. What was removed before stays removed.
    package func remove(_ group: GroupUUID, within time: WaitingTime) throws(StorageError) -> Count {
        let found = try find(group, until: time.deadline)
        for item in found.own {
            time.restart()
            try items.run(until: time.deadline) { calls throws(SecretServiceError) in
                do throws(SecretServiceError) {
                    try calls.delete(item)
                } catch {
                    // It was removed in the meantime.
                    if error.code != .itemMissing { throw error }
                }
            }
        }
        return Count(own: found.own.count, unreadable: found.unreadableCount)
    }

    private struct Found: Sendable {
        /// The items to remove, in order. The key is the last one, because it is needed to recognise the others.
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
                // The item was removed in the meantime.
                guard let owner = owners[item.path] else { continue }
                switch owner {
                case group?: found.own.append(item)
                case nil: unreadable.append((item, found.own.count))
                case .some: hasForeign = true
                }
            }
        }
        // If the keyring holds nothing of another group of this name, damaged items are this one's.
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
            let found = try calls.searchEverywhere(attributes)
            let open = found.filter { !$0.isLocked }
            return (open, found.count - open.count)
        }
    }

    /// The group of each item; `nil` in it if the content does not show one. Items that are gone are omitted.
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

    /// The group that the text of an item names: all kinds of items name it in the same place.
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
