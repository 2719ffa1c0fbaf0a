// SPDX-License-Identifier: Apache-2.0

import RecordStorage

/// Keeps the operations of a transaction and passes them on with a fault.
final class FaultyBatch: BatchWriter {
    private enum Operation {
        case put(NewRecord)
        case remove(Removal)
        case removeAll
        case declareRemoval(RemovalScope)
    }

    private let fault: StoreFault
    private var operations: [Operation] = []
    private var seen: Set<RecordTag> = []

    init(_ fault: StoreFault) {
        self.fault = fault
    }

    var isEmpty: Bool {
        operations.allSatisfy { if case .declareRemoval = $0 { true } else { false } }
    }

    func put(_ record: NewRecord) {
        if fault == .firstOperationWins, !seen.insert(record.tag).inserted { return }
        operations.append(.put(record))
    }

    func remove(_ removal: Removal) {
        operations.append(.remove(removal))
    }

    func removeAll() {
        operations.append(.removeAll)
    }

    func declareRemoval(of scope: RemovalScope) {
        operations.append(.declareRemoval(scope))
    }

    func pass(to writer: any BatchWriter, isFirstHalf: Bool) throws(StorageError) {
        var part = operations[...]
        if fault == .commitsInHalves {
            let middle = operations.count / 2
            part = isFirstHalf ? operations[..<middle] : operations[middle...]
        }
        if fault == .losesBigBatches, part.count > 2000 { part = part.dropLast() }
        for operation in part {
            switch operation {
            case .put(let record): try writer.put(record)
            case .remove(let removal):
                if fault == .losesRemovals { continue }
                let erases = removal.erasesSecret && fault != .keepsErasedSecrets
                try writer.remove(Removal(tag: removal.tag, partition: removal.partition, erasesSecret: erases))
            case .declareRemoval(let scope):
                if fault == .stopsAtDeclarations { return }
                if fault == .emptiesAtDeclarations { try writer.removeAll() }
                writer.declareRemoval(of: scope)
            case .removeAll:
                if fault == .losesRemovalOfAll { continue }
                try writer.removeAll()
            }
        }
    }
}
