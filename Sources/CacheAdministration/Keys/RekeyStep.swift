internal import TokenCaching

/// The steps of a change of keys. After a kill between any two of them the group opens, and the next change of keys
/// clears up what was left.
package enum RekeyStep: Hashable, Sendable, CaseIterable {
    /// The new key file is there; the old one still opens the group.
    case keyFileMade
    /// The new keys are in force.
    case keysReplaced
    /// The old key file is gone.
    case oldKeyFilesRemoved
}
