// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The operations of a transaction, in the order in which their records first occurred. If several concern the same
/// record, the last one wins.
struct BatchedOperations {
    private(set) var items: [JournalBatch.Item] = []
    /// The total size of their boxes.
    private(set) var byteCount = 0
    /// The record that each operation concerns.
    private var keys: [Key] = []
    /// The index of each record's operation, once there are too many to search linearly.
    private var positions: [Key: Int] = [:]

    private static let largestSearchedCount = 16

    private struct Key: Hashable {
        var tag: RecordTag
        var partition: PartitionTag
    }

    /// The partition of all operations; `nil` if there are several.
    var onlyPartition: PartitionTag? {
        keys.first.flatMap { first in keys.allSatisfy { $0.partition == first.partition } ? first.partition : nil }
    }

    mutating func put(_ record: NewRecord) {
        byteCount += record.boxesByteCount
        set(.put(record), Key(tag: record.tag, partition: record.partition))
    }

    mutating func remove(_ removal: Removal) {
        set(.remove(removal), Key(tag: removal.tag, partition: removal.partition))
    }

    private mutating func set(_ item: JournalBatch.Item, _ key: Key) {
        if let position = position(of: key) {
            if case .put(let old) = items[position] { byteCount -= old.boxesByteCount }
            items[position] = item
            return
        }
        if items.isEmpty {
            items.reserveCapacity(8)
            keys.reserveCapacity(8)
        }
        items.append(item)
        keys.append(key)
        if keys.count == Self.largestSearchedCount {
            for (position, key) in keys.enumerated() { positions[key] = position }
        } else if keys.count > Self.largestSearchedCount {
            positions[key] = keys.count - 1
        }
    }

    private func position(of key: Key) -> Int? {
        positions.isEmpty ? keys.firstIndex(of: key) : positions[key]
    }
}

extension NewRecord {
    fileprivate var boxesByteCount: Int { facts.count + secret.count }
}
