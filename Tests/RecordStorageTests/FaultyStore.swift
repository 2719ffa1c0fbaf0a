// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Synchronization

/// What a store can do wrong.
enum StoreFault: String, CaseIterable, Sendable {
    case reportsNoChanges, reportsChangesTwice, reportsOwnCommits, forgetsPartitions, tellsBodiesNothing
    case losesRemovals, losesRemovalOfAll, keepsErasedSecrets, mixesUpSecrets, mixesUpFacts, forgetsOrder
    case firstOperationWins, commitsInHalves, writesThoughBodyThrows, countsEmptyCommits, skipsNumbers
    case keepsWord, forgetsNames, waitsForLockInReaders, ignoresDeadline, staysOpen, writesThoughReadOnly
    case readsAhead, losesBigBatches, hidesKinds, stopsAtDeclarations, emptiesAtDeclarations
    case givesLeasesAway, refreshesOthers
}

/// A memory store with one fault.
final class FaultyStore: RecordStore {
    let store: MemoryStore
    let fault: StoreFault
    private let lock: Mutex<Int>
    private let stillWord = MemoryStore()
    private let last = Mutex<(changes: StoreChanges, skipped: UInt64)>((.none, 0))

    init(_ store: MemoryStore, _ fault: StoreFault) {
        self.store = store
        self.fault = fault
        lock = Mutex(0)
    }

    var revision: RevisionWord { fault == .keepsWord ? stillWord.revision : store.revision }
    var readOnlyReason: StorageError? { fault == .writesThoughReadOnly ? nil : store.readOnlyReason }
    var isAtomicAcrossPartitions: Bool { true }
    func hasUnannouncedChanges() -> Bool { false }

    func refresh(until deadline: Deadline) throws(StorageError) -> StoreChanges {
        if fault == .waitsForLockInReaders { try store.commit(until: deadline) { _, _ throws(StorageError) in } }
        let changes = try store.refresh(until: deadline)
        let before = last.withLock { last -> StoreChanges in
            defer { last.changes = changes }
            return last.changes
        }
        switch (fault, changes) {
        case (.reportsNoChanges, _): return .none
        case (.reportsChangesTwice, _), (.reportsOwnCommits, .none): return changes.merging(before)
        case (.forgetsPartitions, .partitions(let named)) where named.count > 1:
            return .partitions(Set(named.sorted().dropLast()))
        default: return changes
        }
    }

    func contents(of partition: PartitionTag, until deadline: Deadline) throws(StorageError) -> PartitionContents {
        if fault == .readsAhead { _ = try store.refresh(until: deadline) }
        let contents = try store.contents(of: partition, until: deadline)
        var records = contents.records
        var facts = contents.facts
        switch fault {
        case .mixesUpFacts where facts.count > 1: facts.swapAt(0, 1)
        case .mixesUpSecrets where records.count > 1:
            records = zip(records, [records[1], records[0]] + records[2...]).map { $0.with(secret: $1.secret) }
        case .forgetsOrder:
            records.reverse()
            facts.reverse()
        case .hidesKinds: records = records.map { $0.with(kind: RecordKind(rawValue: $0.kind.rawValue & 0x7F)) }
        default: break
        }
        return PartitionContents(records: records, facts: facts, reader: contents.reader)
    }

    func partitions(under tag: SearchTag, until deadline: Deadline) throws(StorageError) -> [PartitionTag] {
        let found = try store.partitions(under: tag, until: deadline)
        return fault == .forgetsNames ? Array(found.dropFirst()) : found
    }

    func partitions(until deadline: Deadline) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        try store.partitions(until: deadline)
    }

    func commit(
        until deadline: Deadline,
        _ body: (CommitContext, any BatchWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        if fault == .writesThoughReadOnly, store.readOnlyReason != nil { return 0 }
        let batch = FaultyBatch(fault)
        var failure: StorageError?
        let sequence = try store.commit(until: fault == .ignoresDeadline ? .after(.seconds(6)) : deadline) {
            context,
            writer throws(StorageError) in
            let told = fault == .tellsBodiesNothing ? StoreChanges.none : context.changes
            do throws(StorageError) {
                let context = CommitContext(
                    sequence: context.sequence,
                    epoch: context.epoch,
                    changes: told,
                    deadline: context.deadline
                )
                try body(context, batch)
            } catch {
                guard fault == .writesThoughBodyThrows else { throw error }
                failure = error
            }
            try batch.pass(to: writer, isFirstHalf: true)
        }
        if fault == .commitsInHalves {
            try store.commit(until: deadline) { _, writer throws(StorageError) in
                try batch.pass(to: writer, isFirstHalf: false)
            }
        }
        if let failure { throw failure }
        if fault == .reportsOwnCommits { last.withLock { $0.changes = .everything } }
        if fault == .countsEmptyCommits, batch.isEmpty { return sequence + 1 }
        return fault == .skipsNumbers ? sequence * 2 : sequence
    }

    func tryLease(_ number: UInt64) throws(StorageError) -> (any StoreLease)? {
        try (fault == .givesLeasesAway ? stillWord : store).tryLease(number)
    }

    func makeHandle(until deadline: Deadline) throws(StorageError) -> any RecordStore {
        fault == .refreshesOthers ? self : try store.makeHandle(until: deadline)
    }

    func watchChanges() -> any ChangeWatch { store.watchChanges() }

    func close() {
        if fault != .staysOpen { store.close() }
    }
}

extension StoredRecord {
    fileprivate func with(kind: RecordKind? = nil, secret: BoxLocation? = nil) -> StoredRecord {
        StoredRecord(tag: tag, kind: kind ?? self.kind, sequence: sequence, facts: facts, secret: secret ?? self.secret)
    }
}
