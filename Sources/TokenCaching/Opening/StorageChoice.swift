/// Where a group keeps its records.
///
/// A group has one store, chosen when it is created and named in its folder, with the reason, ever after. Nothing is ever
/// kept in plaintext, whatever is chosen. ``StorageLocation`` tells what a group has. Later versions may have more stores.
@nonexhaustive
public enum StorageChoice: Sendable {
    /// The store that the group has. A new group gets the best one of this machine, once and for all:
    ///
    /// - the user's keyring (Secret Service), where there is one that can be used now;
    /// - with KeePassXC and KWallet the encrypted file, unlocked by an item in that keyring: they ask the user about
    ///   single entries, keep a history of them, or write late;
    /// - the encrypted file, unlocked by a key file of its own, where there is no keyring.
    ///
    /// A keyring that is locked, does not answer in time or whose question is dismissed is none of these: opening throws
    /// that, and nothing is chosen or created.
    case automatic

    /// The user's keyring: an item for each account in a collection of the Secret Service.
    ///
    /// For up to 1,000 accounts. `collection` is the name of a collection as it stands in its path, such as `login`;
    /// without one it is the default one for a new group, and the one that the group has for an existing one.
    case keyring(collection: String?)

    /// The encrypted file.
    ///
    /// For a new group every method given gets a slot. An existing group opens with any of them.
    case file(unlockedBy: FileUnlocking)

    /// Memory of this process. Nothing touches a disk, nothing is shared, all is gone when the cache is closed.
    case memory

    /// The user's keyring, in its default collection.
    public static var keyring: StorageChoice { .keyring(collection: nil) }
}

/// What a group is opened for.
public enum GroupAccess: Hashable, Sendable {
    /// It is created where it does not exist.
    case create
    /// It must exist. If nothing can be written, as on a read-only mount, it opens for reading only.
    case readWrite
    /// It must exist, and nothing is written.
    case readOnly
}
