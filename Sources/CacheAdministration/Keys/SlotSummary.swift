internal import TokenCaching

/// A key slot of a group: one of the ways to open it. Nothing in it is secret.
public struct SlotSummary: Hashable, Sendable {
    /// The kind of secret that opens a slot.
    public enum Kind: String, Hashable, Sendable {
        /// The key file that the library created for the group.
        case ownKeyFile
        /// A key file of the caller's.
        case keyFile
        /// A passphrase.
        case passphrase
        /// An item of a keyring.
        case keyring
        /// A kind that only a newer version knows.
        case unknown
    }

    /// The id of the slot: 32 hexadecimal digits.
    public let id: String
    /// What opens it.
    public let kind: Kind
    /// The path of the key file, if it is known.
    public let keyFilePath: String?
    /// The memory that trying a passphrase takes, in bytes.
    public let passphraseMemoryByteCount: Int?
    /// The number of passes over that memory.
    public let passphrasePassCount: Int?
}
