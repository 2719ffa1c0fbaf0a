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
