// SPDX-License-Identifier: Apache-2.0

/// Where a group keeps its records.
///
/// A group has one store, chosen when it is created and permanently recorded in its folder, with the reason. Whatever
/// you choose, nothing is ever stored in plaintext. ``StorageLocation`` describes the store of a group. Later versions
/// may have more stores.
@nonexhaustive
public enum StorageChoice: Sendable {
    /// The existing store of the group. A new group gets the best one on this machine, permanently:
    ///
    /// - the user's keyring (Secret Service), if there is one that is usable now;
    /// - with KeePassXC and KWallet the encrypted file, unlocked by an item in that keyring, because these keyrings
    ///   prompt for single entries, keep a history of them, or write late;
    /// - the encrypted file, unlocked by its own key file, if there is no keyring.
    ///
    /// If a keyring is locked, does not answer in time, or its prompt is dismissed, opening throws that error, and
    /// nothing is chosen or created.
    case automatic

    /// The user's keyring: an item for each account in a collection of the Secret Service.
    ///
    /// For up to 1,000 accounts. `collection` is the last component of a collection's path, such as `login`; without
    /// one, a new group uses the default collection, and an existing group its own.
    case keyring(collection: String?)

    /// The encrypted file.
    ///
    /// A new group gets a key slot for every given way. An existing group opens with any of them.
    case file(unlockedBy: FileUnlocking)

    /// The memory of this process. Nothing is written to disk or shared, and everything is gone when the cache is
    /// closed.
    case memory

    /// The user's keyring, in its default collection.
    public static var keyring: StorageChoice { .keyring(collection: nil) }

    /// The ways to unlock the key slots of the group; nil if the choice names none, or its store has no slots.
    package var unlocking: FileUnlocking? {
        switch self {
        case .file(let unlocking): unlocking
        case .automatic, .keyring, .memory: nil
        }
    }
}
