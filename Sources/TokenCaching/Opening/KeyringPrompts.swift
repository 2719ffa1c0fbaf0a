/// Whether the keyring may ask the user something while a group is opened, as a rule to unlock it.
public struct KeyringPrompts: Hashable, Sendable {
    /// How long the user has; nil if they are not asked.
    package let longestWait: Duration?

    /// Never: a keyring that is locked stays so, and opening throws ``TokenCacheError/Code/keyringLocked`` by its timeout.
    public static let never = KeyringPrompts(longestWait: nil)

    /// The keyring may ask.
    ///
    /// Opening then takes as long as the user does, and no longer than the limit. No lock is held meanwhile.
    ///
    /// - Parameter limit: how long to wait for an answer. After that the question is withdrawn and opening throws
    ///   ``TokenCacheError/Code/promptPending``.
    /// - Returns: that permission.
    public static func allowed(upTo limit: Duration = .seconds(120)) -> KeyringPrompts {
        KeyringPrompts(longestWait: limit)
    }
}
