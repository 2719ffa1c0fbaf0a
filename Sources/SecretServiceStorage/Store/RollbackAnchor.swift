// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage
package import Sealing

/// The progress of a group in the encrypted file, as last recorded in the keyring.
package struct RollbackAnchor: Hashable, Sendable, Comparable {
    package let epoch: UInt32
    package let sequence: UInt64

    package init(epoch: UInt32, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    package static func < (left: RollbackAnchor, right: RollbackAnchor) -> Bool {
        (left.epoch, left.sequence) < (right.epoch, right.sequence)
    }
}

extension KeyringSlots {
    /// The newest anchor of the group in all unlocked collections, because the folder's choice of collection is not
    /// authenticated.
    ///
    /// - Returns: `nil` if no anchor verifies. An anchor written under later keys than `keys` is returned unverified.
    package func anchor(_ keys: GroupKeys, until deadline: Deadline) throws(StorageError) -> RollbackAnchor? {
        let attributes = anchorAttributes(keys.uuid)
        let texts = try items.run(until: deadline) { calls throws(SecretServiceError) in
            let found = try calls.searchAllCollections(attributes).filter { !$0.isLocked }
            return try calls.secrets(of: found) { Base64.decode($0) }.values.map { (try? $0.get()) ?? nil }
        }
        let chain = try KeyringKeyChain(keys) { _ in }
        var found: [RollbackAnchor] = []
        for case let text? in texts {
            guard let anchor = AnchorItem.unverified(text, of: keys.uuid) else { continue }
            let isVerified = try AnchorItem.sequence(text, chain) != nil
            if isVerified || anchor.epoch > keys.epoch { found.append(anchor) }
        }
        return found.max()
    }

    /// Records the progress of the group in its existing anchor, or in a new one in the configured collection.
    ///
    /// - Throws: ``StorageError/Code/keyringLocked`` if the anchor is in a locked collection, because a second anchor
    ///   would leave an outdated one there.
    package func setAnchor(_ keys: GroupKeys, _ sequence: UInt64, until deadline: Deadline) throws(StorageError) {
        let text = SecretText.sealed(Base64.encode(try AnchorItem.encode(sequence: sequence, KeyringKeys(keys))))
        let writing = KeyringWriting.Write(attributes: anchorAttributes(keys.uuid), text: text, isNew: false)
        try items.run(until: deadline) { calls throws(SecretServiceError) in
            try calls.unlock()
            let found = try calls.searchAllCollections(writing.attributes)
            for item in found where !item.isLocked { try calls.set(item, to: text) }
            if found.contains(where: \.isLocked) { throw SecretServiceError(.locked) }
            if found.isEmpty { try KeyringWriting(writes: [writing]).perform(calls) }
        }
    }

    /// Removes the anchor of the group.
    package func removeAnchor(of group: GroupUUID, until deadline: Deadline) throws(StorageError) {
        let attributes = anchorAttributes(group)
        try items.run(until: deadline) { calls throws(SecretServiceError) in
            for item in try calls.search(attributes) { try calls.delete(item) }
        }
    }

    private func anchorAttributes(_ group: GroupUUID) -> [(key: String, value: String)] {
        items.attributes.all(.fileAnchor, tag: group.description)
    }
}
