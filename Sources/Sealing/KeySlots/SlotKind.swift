/// What opens a key slot. The number is part of the format.
package enum SlotKind: UInt8, Sendable, CaseIterable {
    /// 32 random bytes that a keyring keeps.
    case keyring = 1
    /// The content of a file.
    case keyFile = 2
    /// Words that a person remembers.
    case passphrase = 3
}
