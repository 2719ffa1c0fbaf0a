/// What unlocks the encrypted file of a group. Later versions may have more ways.
@nonexhaustive
public enum FileUnlocking: Sendable {
    /// A file with 32 to 4,096 secret bytes, a regular file of this user that nobody else can read.
    ///
    /// Without a path it is the group's own, which the library makes with the group: apart from the data, in
    /// `$XDG_STATE_HOME/swift-token-cache/keys`, or in `.keys` under a root that was given. With a path, a missing file
    /// is made only together with a new group; for an existing group it is an error. No key file is ever overwritten.
    case keyFile(path: String?)

    /// An item in the user's keyring with 32 random bytes, which the library makes with the group.
    ///
    /// `collection` is the name of a collection as it stands in its path, such as `login`; without one it is the one
    /// that was named when the group was made, else the default one.
    case keyring(collection: String?)

    /// A passphrase, asked for only when it is needed: when a group is created, when no key that was given before opens
    /// it, and again after another process changed its keys. Answering with `nil` declines.
    ///
    /// Called on the thread that opens or reads the cache. Nobody who reads or writes has to wait meanwhile.
    case passphrase(@Sendable (PassphraseRequest) throws(TokenCacheError) -> Passphrase?)

    /// Several of these, tried in this order; passphrases come last.
    case anyOf([FileUnlocking])

    /// The group's own key file.
    public static var keyFile: FileUnlocking { .keyFile(path: nil) }

    /// An item in the user's keyring.
    public static var keyring: FileUnlocking { .keyring(collection: nil) }
}
