// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The keys of a group in one epoch: the root key, which is new in every epoch, and the tag key, which never changes.
///
/// All sealed data depends on the root key. The names of records depend on the tag key, so they survive a change of the
/// root key. Both are in secret memory. Thread-safe.
package final class GroupKeys: Sendable {
    /// The group of these keys.
    package let uuid: GroupUUID
    /// The number of the root key, counted from 1.
    package let epoch: UInt32
    let rootKey: SealingKey
    let tagKey: SealingKey

    /// Creates keys from a known root and tag key, read from a key slot or chosen by a test.
    package init(
        uuid: GroupUUID,
        epoch: UInt32,
        rootKey: consuming SealingKey,
        tagKey: consuming SealingKey
    ) {
        self.uuid = uuid
        self.epoch = epoch
        self.rootKey = rootKey
        self.tagKey = tagKey
    }

    /// Generates the keys of a new group, in epoch 1.
    package static func generate(uuid: GroupUUID = GroupUUID()) throws(SealingError) -> GroupKeys {
        GroupKeys(uuid: uuid, epoch: 1, rootKey: try .random(), tagKey: try .random())
    }

    /// Returns keys for the next epoch, with a new root key and the same tag key.
    ///
    /// - Throws: ``SealingError/Code/epochExhausted`` after 2³² - 1 epochs.
    package func nextEpoch() throws(SealingError) -> GroupKeys {
        guard epoch < .max else { throw SealingError(.epochExhausted) }
        return GroupKeys(uuid: uuid, epoch: epoch + 1, rootKey: try .random(), tagKey: try tagKey.copy())
    }

    /// Returns keys for a copy of this group that becomes a group of its own: another UUID, a new root key in the next
    /// epoch, and the same tag key, so that records keep their tags.
    ///
    /// - Throws: ``SealingError/Code/epochExhausted`` after 2³² - 1 epochs.
    package func forNewGroup(uuid: GroupUUID = GroupUUID()) throws(SealingError) -> GroupKeys {
        let next = try nextEpoch()
        return GroupKeys(uuid: uuid, epoch: next.epoch, rootKey: try next.rootKey.copy(), tagKey: try tagKey.copy())
    }

    /// Derives the key for one purpose from the root key. Keep the result, because deriving it takes about a
    /// microsecond.
    package func subkey(_ purpose: SubkeyPurpose) throws(SealingError) -> SealingKey {
        try rootKey.derive(purpose)
    }

    /// Whether both hold the same keys of the same group and epoch. Constant time if the group and epoch agree.
    package func isEqual(to other: GroupKeys) -> Bool {
        guard uuid == other.uuid, epoch == other.epoch else { return false }
        let sameRoot = rootKey.isEqual(to: other.rootKey)
        let sameTag = tagKey.isEqual(to: other.tagKey)
        return sameRoot && sameTag
    }
}

extension GroupKeys: CustomStringConvertible, CustomReflectable {
    /// The group and the epoch, without the keys.
    package var description: String { "GroupKeys(\(uuid), epoch \(epoch))" }
    /// No children, so that `dump` shows no address of a key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension GroupKeys {
    /// Authenticates the state file of the group. The result is the same in every epoch.
    package func authenticator(ofState text: [UInt8]) throws(SealingError) -> Digest {
        try KeyedHash.hash256(text.rawSpan, key: tagKey.derive(.stateFile))
    }

    /// A hash that binds a group to its name. It is the same in every epoch.
    package func hash(ofName name: String) throws(SealingError) -> Digest {
        try KeyedHash.hash256(Array(name.utf8).rawSpan, key: tagKey.derive(.groupName))
    }

    /// Whether both are keys of the same group, in any epoch.
    package func areOfSameGroup(as other: GroupKeys) -> Bool {
        uuid == other.uuid && tagKey.isEqual(to: other.tagKey)
    }
}
