internal import RecordStorage

/// Which partitions changed when, so that what was read of one of them can be kept although others change all the time.
///
/// Moments are counted: each change that is noted begins another one. The log is bounded; who asks about a moment before it
/// is told that everything changed.
struct ChangeLog: Sendable {
    /// The moment now.
    private(set) var now: UInt64 = 0
    private var changedAt: [PartitionTag: UInt64] = [:]
    /// What was read before this moment counts as old.
    private var beginning: UInt64 = 0
    /// What an own transaction is changing just now: nobody knows when the store shows it.
    private(set) var changing = StoreChanges.none

    /// How many partitions the log names.
    static let limit = 4096

    /// Notes changes of now.
    mutating func note(_ changes: StoreChanges) {
        switch changes {
        case .none:
            return
        case .partitions(let partitions) where partitions.count + changedAt.count <= Self.limit:
            now += 1
            for partition in partitions { changedAt[partition] = now }
        case .partitions(let partitions) where partitions.count <= Self.limit:
            now += 1
            changedAt = Dictionary(uniqueKeysWithValues: partitions.map { ($0, now) })
            beginning = now
        case .partitions, .everything:
            now += 1
            changedAt.removeAll()
            beginning = now
        }
    }

    mutating func begin(_ changes: StoreChanges) {
        changing = changes
        note(changes)
    }

    mutating func end() {
        note(changing)
        changing = .none
    }

    /// Whether what was read of a partition at `moment` or later is what the store holds of it, as far as was told.
    func isUnchanged(_ partition: PartitionTag, since moment: UInt64) -> Bool {
        guard moment >= beginning, changedAt[partition] ?? 0 <= moment else { return false }
        return switch changing {
        case .none: true
        case .partitions(let partitions): !partitions.contains(partition)
        case .everything: false
        }
    }
}
