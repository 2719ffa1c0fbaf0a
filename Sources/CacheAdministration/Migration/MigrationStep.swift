internal import TokenCaching

/// The steps of taking a group to another kind of store. After a kill at any of them the next attempt goes on, or takes
/// everything back.
package enum MigrationStep: Hashable, Sendable, CaseIterable {
    /// The folder says that the group is moving: nobody writes any more.
    case marked
    /// The new store has some of the records.
    case begun
    /// The new store has all records.
    case copied
    /// They were read back and compared.
    case verified
    /// The folder names the new store.
    case flipped
    /// The old store is gone.
    case wiped
}
