internal import TokenCaching

/// A key slot of a group: one of the things that open it. Nothing in it is secret.
package struct SlotSummary: Hashable, Sendable {
    /// What opens a slot.
    package enum Kind: String, Hashable, Sendable {
        /// The key file that the library made for the group.
        case ownKeyFile
        /// A key file of the caller's.
        case keyFile
        /// A passphrase.
        case passphrase
        /// An item of a keyring.
        case keyring
        /// Something that only a newer version knows.
        case unknown
    }

    /// Names the slot: 32 hexadecimal digits.
    package let id: String
    package let kind: Kind
    /// The key file, where it is known which one it is.
    package let keyFilePath: String?
    /// Memory that trying a passphrase takes, in bytes.
    package let passphraseMemoryByteCount: Int?
    /// Passes over that memory.
    package let passphrasePassCount: Int?
}
