// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The result of migrating a group to another kind of store.
public struct MigrationReport: Hashable, Sendable {
    /// The kind of store that the group had.
    public let from: StorageLocation.Kind
    /// The kind of store that it was migrated to.
    public let to: StorageLocation.Kind
    /// The number of migrated records; 0 if nothing had to be done.
    public internal(set) var recordCount = 0
    /// The number of accounts and other partitions that contain them.
    public internal(set) var partitionCount = 0
    /// Whether an earlier migration had been interrupted.
    public internal(set) var wasResumed = false
    /// Whether the group changed its store. False if it already had this store, or was left in it.
    public internal(set) var wasMoved = false

    init(from: StorageLocation.Kind, to: StorageLocation.Kind) {
        self.from = from
        self.to = to
    }
}

/// The steps of a migration. If the process is killed before the state file names the new store, the group stays in the old
/// one.
package enum MigrationStep: Hashable, Sendable, CaseIterable {
    /// The state file says that the new store may have records.
    case marked
    /// The new store has some of the records.
    case begun
    /// The new store has all records.
    case copied
    /// The records were read back and compared.
    case verified
    /// The state file names the new store.
    case flipped
    /// The old store is empty.
    case wiped
}
