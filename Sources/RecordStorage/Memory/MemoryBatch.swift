// SPDX-License-Identifier: Apache-2.0

/// The operations of one transaction in memory.
final class MemoryBatch: BatchWriter {
    enum Operation {
        case put(NewRecord)
        case remove(Removal)
    }

    struct Key: Hashable {
        let partition: PartitionTag
        let tag: RecordTag
    }

    /// The last operation on each record.
    private(set) var operations: [Key: Operation] = [:]
    private(set) var removesAll = false

    var isEmpty: Bool { operations.isEmpty && !removesAll }

    func put(_ record: NewRecord) throws(StorageError) {
        operations[Key(partition: record.partition, tag: record.tag)] = .put(record)
    }

    func remove(_ removal: Removal) throws(StorageError) {
        operations[Key(partition: removal.partition, tag: removal.tag)] = .remove(removal)
    }

    func removeAll() throws(StorageError) {
        removesAll = true
    }

    /// Does nothing, because a store in memory reserves no space and keeps only records.
    func declareRemoval(of scope: RemovalScope) {}
}
