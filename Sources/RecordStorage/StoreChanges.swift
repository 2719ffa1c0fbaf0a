// SPDX-License-Identifier: Apache-2.0

/// The possible changes in a store since the last query. May include too many partitions, never too few.
package enum StoreChanges: Hashable, Sendable {
    /// No changes.
    case none
    /// These partitions must be read again.
    case partitions(Set<PartitionTag>)
    /// All partitions must be read again.
    case everything

    /// Adds other changes in place, because the set may include every partition.
    package mutating func merge(_ others: StoreChanges) {
        guard case .partitions(var partitions) = self, case .partitions(let more) = others else {
            self = merging(others)
            return
        }
        // Drop the other reference to the set, so that the set changes in place.
        self = .none
        partitions.formUnion(more)
        self = .partitions(partitions)
    }

    /// The union of both changes.
    package func merging(_ other: StoreChanges) -> StoreChanges {
        switch (self, other) {
        case (.everything, _), (_, .everything): .everything
        case (.none, let changes), (let changes, .none): changes
        case (.partitions(let left), .partitions(let right)): .partitions(left.union(right))
        }
    }
}
