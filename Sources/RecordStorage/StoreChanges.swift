/// What may have changed in a store since it was last asked. It may name more than really changed, never less.
package enum StoreChanges: Hashable, Sendable {
    /// Nothing.
    case none
    /// These partitions are to be read again.
    case partitions(Set<PartitionTag>)
    /// Everything is to be read again.
    case everything

    /// Adds others, in place: as many partitions may have changed as there are.
    package mutating func merge(_ others: StoreChanges) {
        guard case .partitions(var partitions) = self, case .partitions(let more) = others else {
            self = merging(others)
            return
        }
        // Nobody else holds the set now.
        self = .none
        partitions.formUnion(more)
        self = .partitions(partitions)
    }

    /// Both together.
    package func merging(_ other: StoreChanges) -> StoreChanges {
        switch (self, other) {
        case (.everything, _), (_, .everything): .everything
        case (.none, let changes), (let changes, .none): changes
        case (.partitions(let left), .partitions(let right)): .partitions(left.union(right))
        }
    }
}
