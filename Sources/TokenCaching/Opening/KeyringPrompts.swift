// SPDX-License-Identifier: Apache-2.0

/// Whether the keyring may prompt the user while a group is opened, usually to unlock it.
public struct KeyringPrompts: Hashable, Sendable {
    /// How long the user has to answer; nil if they are not prompted.
    package let longestWait: Duration?

    /// Never: a locked keyring stays locked, and opening throws ``TokenCacheError/Code/keyringLocked`` by its timeout.
    public static let never = KeyringPrompts(longestWait: nil)

    /// The keyring may prompt.
    ///
    /// Opening then takes as long as the user takes, up to the limit. No lock is held meanwhile.
    ///
    /// - Parameter limit: how long to wait for an answer. After that the prompt is withdrawn and opening throws
    ///   ``TokenCacheError/Code/promptPending``.
    /// - Returns: that permission.
    public static func allowed(upTo limit: Duration = .seconds(120)) -> KeyringPrompts {
        KeyringPrompts(longestWait: limit)
    }
}
