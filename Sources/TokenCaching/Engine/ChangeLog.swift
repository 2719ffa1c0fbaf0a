// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// Records when partitions changed, so that cached facts of one partition remain valid while others change all the
/// time.
///
/// Moments are numbered: each recorded change begins a new one. The log is bounded; for a moment before its beginning,
/// everything counts as changed.
struct ChangeLog: Sendable {
    /// The current moment.
    private(set) var now: UInt64 = 0
    private var changedAt: [PartitionTag: UInt64] = [:]
    /// Anything read before this moment counts as outdated.
    private var beginning: UInt64 = 0
    /// The changes that a transaction of this engine is making now: it is unknown when the store will show them.
    private(set) var changing = StoreChanges.none

    /// The maximum number of partitions in the log.
    static let limit = 4096

    /// Records changes at the current moment.
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

    /// Whether a partition read at `moment` or later is still unchanged, as far as changes were reported.
    func isUnchanged(_ partition: PartitionTag, since moment: UInt64) -> Bool {
        guard moment >= beginning, changedAt[partition] ?? 0 <= moment else { return false }
        return switch changing {
        case .none: true
        case .partitions(let partitions): !partitions.contains(partition)
        case .everything: false
        }
    }
}
