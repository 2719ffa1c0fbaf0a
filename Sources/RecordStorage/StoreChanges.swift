// SPDX-License-Identifier: Apache-2.0

/// What may have changed in a store since the last query. May include too much, never too little.
package enum StoreChanges: Hashable, Sendable {
    /// Nothing.
    case none
    /// These partitions must be read again.
    case partitions(Set<PartitionTag>)
    /// Everything must be read again.
    case everything

    /// Adds other changes in place, because the set may be as large as the number of partitions.
    package mutating func merge(_ others: StoreChanges) {
        guard case .partitions(var partitions) = self, case .partitions(let more) = others else {
            self = merging(others)
            return
        }
        // Drop the other reference to the set, so that it is changed in place.
        self = .none
        partitions.formUnion(more)
        self = .partitions(partitions)
    }

    /// The union of both.
    package func merging(_ other: StoreChanges) -> StoreChanges {
        switch (self, other) {
        case (.everything, _), (_, .everything): .everything
        case (.none, let changes), (let changes, .none): changes
        case (.partitions(let left), .partitions(let right)): .partitions(left.union(right))
        }
    }
}
