/// Where a group keeps its records.
///
/// A group has one store, chosen when it is created and named in its folder ever after. Nothing is ever kept in
/// plaintext, whatever is chosen.
public enum StorageChoice: Sendable {
    /// The store that the group has. A new group gets the best one of this machine: the encrypted file, unlocked by a
    /// key file of its own.
    case automatic

    /// The encrypted file.
    ///
    /// For a new group every method given gets a slot. An existing group opens with any of them.
    case file(unlockedBy: FileUnlocking)

    /// Memory of this process. Nothing touches a disk, nothing is shared, all is gone when the cache is closed.
    case memory
}
