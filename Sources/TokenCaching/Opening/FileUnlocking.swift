// SPDX-License-Identifier: Apache-2.0

/// The ways to unlock the encrypted file of a group. Later versions may have more.
@nonexhaustive
public enum FileUnlocking: Sendable {
    /// A file with 32 to 4,096 secret bytes: a regular file of this user that no other user can read.
    ///
    /// Without a path, this is the group's own key file, which the library creates with the group, separately from the
    /// data: in `$XDG_STATE_HOME/swift-token-cache/keys`, or in `.keys` below a given root. With a path, a missing file
    /// is created only together with a new group; for an existing group it is an error. No key file is ever
    /// overwritten.
    case keyFile(path: String?)

    /// An item in the user's keyring with 32 random bytes, which the library creates with the group.
    ///
    /// `collection` is the last component of a collection's path, such as `login`; without one, the collection given
    /// when the group was created is used, otherwise the default collection.
    case keyring(collection: String?)

    /// A passphrase. The closure is called only when it is needed: to create a group, to open one that none of the
    /// earlier ways opens, and again after another process changed the group's keys. Return `nil` to decline.
    ///
    /// The closure runs on the thread that opens or reads the cache. Other readers and writers do not have to wait
    /// meanwhile.
    case passphrase(@Sendable (PassphraseRequest) throws(TokenCacheError) -> Passphrase?)

    /// Several ways, tried in order; passphrases come last.
    case anyOf([FileUnlocking])

    /// The group's own key file.
    public static var keyFile: FileUnlocking { .keyFile(path: nil) }

    /// An item in the user's keyring.
    public static var keyring: FileUnlocking { .keyring(collection: nil) }
}
