internal import RecordStorage

/// Collects the operations of a change that is prepared, for the batch of the transaction that it becomes.
final class PreparedBatch: BatchWriter {
    private enum Operation {
        case put(NewRecord)
        case remove(Removal)
        case removeAll
        case declareRemoval(RemovalScope)
    }

    private var operations: [Operation] = []

    func put(_ record: NewRecord) { operations.append(.put(record)) }

    func remove(_ removal: Removal) { operations.append(.remove(removal)) }

    func removeAll() { operations.append(.removeAll) }

    func declareRemoval(of scope: RemovalScope) { operations.append(.declareRemoval(scope)) }

    /// Puts the same into another batch.
    func write(to batch: any BatchWriter) throws(StorageError) {
        for operation in operations {
            switch operation {
            case .put(let record): try batch.put(record)
            case .remove(let removal): try batch.remove(removal)
            case .removeAll: try batch.removeAll()
            case .declareRemoval(let scope): batch.declareRemoval(of: scope)
            }
        }
    }
}
