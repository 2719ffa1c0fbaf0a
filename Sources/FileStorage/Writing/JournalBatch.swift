// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// Collects the operations of a transaction: in memory as long as they fit into a frame, then in a new snapshot.
final class JournalBatch: BatchWriter {
    /// One operation. If several concern the same record, the last one wins.
    enum Item: Sendable {
        case put(NewRecord)
        case remove(Removal)
    }

    private let sequence: UInt64
    private let makeBuilder: () throws(StorageError) -> SnapshotBuilder
    private var operations = BatchedOperations()
    /// Holds the operations once there are too many for a frame.
    private(set) var builder: SnapshotBuilder?
    private(set) var removesAll = false
    /// The scope of the removal that the user requested; `nil` in any other transaction.
    private(set) var removalScope: RemovalScope?

    /// Creates an empty batch for the transaction with this sequence.
    init(sequence: UInt64, makeBuilder: @escaping () throws(StorageError) -> SnapshotBuilder) {
        self.sequence = sequence
        self.makeBuilder = makeBuilder
    }

    /// The operations, as long as they fit into a frame.
    var items: [Item] { operations.items }

    /// The partition of all operations; `nil` if there are several.
    var onlyPartition: PartitionTag? { operations.onlyPartition }

    var isEmpty: Bool { items.isEmpty && !removesAll && builder == nil }

    func put(_ record: NewRecord) throws(StorageError) {
        try Self.check(record)
        if let builder { return try builder.put(record, sequence: sequence) }
        operations.put(record)
        try spillIfLarge()
    }

    func remove(_ removal: Removal) throws(StorageError) {
        if removal.erasesSecret { declareRemoval(of: .signOut) }
        if let builder { return try builder.remove(removal) }
        operations.remove(removal)
        try spillIfLarge()
    }

    func removeAll() throws(StorageError) {
        removesAll = true
        declareRemoval(of: .group)
    }

    func declareRemoval(of scope: RemovalScope) {
        removalScope = max(removalScope ?? scope, scope)
    }

    private func spillIfLarge() throws(StorageError) {
        guard
            operations.byteCount > JournalFormat.largestFrameByteCount
                || operations.items.count > JournalFormat.largestOperationCount
        else { return }
        _ = try spill()
    }

    /// Moves the operations to the builder of a new snapshot.
    func spill() throws(StorageError) -> SnapshotBuilder {
        if let builder { return builder }
        let builder = try makeBuilder()
        for item in operations.items {
            switch item {
            case .put(let record): try builder.put(record, sequence: sequence)
            case .remove(let removal): try builder.remove(removal)
            }
        }
        dropItems()
        self.builder = builder
        return builder
    }

    /// Releases the operations once they are in the builder.
    func dropItems() {
        operations = BatchedOperations()
    }

    /// - Throws: ``StorageError/Code/tooLarge``.
    static func check(_ record: NewRecord) throws(StorageError) {
        guard record.facts.count <= JournalFormat.largestBoxByteCount,
            record.secret.count <= JournalFormat.largestBoxByteCount,
            record.searchTags.count <= Int(UInt8.max)
        else { throw StorageError(.tooLarge, detail: "a record of \(record.facts.count + record.secret.count) bytes") }
    }
}
