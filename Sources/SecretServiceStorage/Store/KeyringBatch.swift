// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The operations of one transaction, by partition.
final class KeyringBatch: BatchWriter {
    enum Operation {
        case put(NewRecord)
        case remove(erases: Bool)
    }

    /// The last operation on each record.
    private(set) var operations: [PartitionTag: [RecordTag: Operation]] = [:]
    private(set) var removesAll = false
    /// The scope of the removal that the user requested; `nil` in any other transaction.
    private(set) var removal: RemovalScope?

    var isEmpty: Bool { operations.isEmpty && !removesAll }

    func put(_ record: NewRecord) throws(StorageError) {
        operations[record.partition, default: [:]][record.tag] = .put(record)
    }

    func remove(_ removal: Removal) throws(StorageError) {
        operations[removal.partition, default: [:]][removal.tag] = .remove(erases: removal.erasesSecret)
        if removal.erasesSecret { declareRemoval(of: .signOut) }
    }

    func removeAll() throws(StorageError) {
        removesAll = true
        declareRemoval(of: .group)
    }

    func declareRemoval(of scope: RemovalScope) {
        removal = max(removal ?? scope, scope)
    }
}
