package import TokenCaching

/// What taking a group to another kind of store came to.
package struct MigrationReport: Hashable, Sendable {
    package let from: GroupSummary.Storage
    package let to: GroupSummary.Storage
    /// Records that were taken over; 0 where nothing had to be.
    package var recordCount = 0
    /// Accounts and other parts that they lie in.
    package var partitionCount = 0
    /// Whether an earlier attempt had been broken off.
    package var wasResumed = false
    /// Whether the group was there already, or was left where it is.
    package var isUnmoved = false
}

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
