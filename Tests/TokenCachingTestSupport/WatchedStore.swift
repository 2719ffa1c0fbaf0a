// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Synchronization

/// A store that counts its calls and fails where a test wants it to.
final class WatchedStore: RecordStore {
    struct Orders {
        /// What every refresh throws.
        var refreshError: StorageError?
        /// Whether the next probe says that something moved.
        var hasMoved = false
        /// What every commit throws after it was done.
        var commitError: StorageError?
        /// What every commit throws before anything is done.
        var refusal: StorageError?
        /// Runs in every commit, after the store took the newest state and before the transaction's body.
        var beforeBody: (@Sendable () -> Void)?
        /// What readings of records throw, by their numbers from 1.
        var contentsErrors: [Int: StorageError] = [:]
        /// The records whose facts the store has lost.
        var lost: Set<RecordTag> = []
        /// Runs before records are read.
        var beforeContents: (@Sendable () -> Void)?
        /// Runs once, after the next commit was done.
        var afterCommit: (@Sendable () -> Void)?
        var refreshCount = 0
        var contentsCount = 0
        var listCount = 0
        var probeCount = 0
        var leaseCount = 0
        /// What every call was given that may wait, in turn.
        var deadlines: [Deadline] = []
    }

    let base: any RecordStore
    private let orders = Mutex(Orders())

    init(_ base: any RecordStore) {
        self.base = base
    }

    func order<Result: Sendable>(_ change: (inout Orders) -> Result) -> Result {
        orders.withLock { change(&$0) }
    }

    var revision: RevisionWord { base.revision }
    var readOnlyReason: StorageError? { base.readOnlyReason }
    var isAtomicAcrossPartitions: Bool { base.isAtomicAcrossPartitions }

    func hasUnannouncedChanges() -> Bool {
        orders.withLock { orders in
            orders.probeCount += 1
            defer { orders.hasMoved = false }
            return orders.hasMoved
        }
    }

    func refresh(until deadline: Deadline) throws(StorageError) -> StoreChanges {
        let error = orders.withLock { orders in
            orders.refreshCount += 1
            orders.deadlines.append(deadline)
            return orders.refreshError
        }
        if let error { throw error }
        return try base.refresh(until: deadline)
    }

    func contents(of partition: PartitionTag, until deadline: Deadline) throws(StorageError) -> PartitionContents {
        let (error, beforeContents, lost) = orders.withLock { orders in
            orders.contentsCount += 1
            orders.deadlines.append(deadline)
            return (orders.contentsErrors[orders.contentsCount], orders.beforeContents, orders.lost)
        }
        beforeContents?()
        if let error { throw error }
        let contents = try base.contents(of: partition, until: deadline)
        if lost.isEmpty { return contents }
        let facts = zip(contents.records, contents.facts).map { lost.contains($0.tag) ? nil : $1 }
        return PartitionContents(records: contents.records, facts: facts, reader: contents.reader)
    }

    func partitions(under tag: SearchTag, until deadline: Deadline) throws(StorageError) -> [PartitionTag] {
        orders.withLock { $0.deadlines.append(deadline) }
        return try base.partitions(under: tag, until: deadline)
    }

    func partitions(until deadline: Deadline) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        orders.withLock {
            $0.listCount += 1
            $0.deadlines.append(deadline)
        }
        return try base.partitions(until: deadline)
    }

    func commit(
        until deadline: Deadline,
        _ body: (CommitContext, any BatchWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        let (error, beforeBody, refusal) = orders.withLock { orders in
            orders.deadlines.append(deadline)
            return (orders.commitError, orders.beforeBody, orders.refusal)
        }
        if let refusal { throw refusal }
        let sequence = try base.commit(until: deadline) { (context, batch) throws(StorageError) in
            beforeBody?()
            try body(context, batch)
        }
        if let error { throw error }
        let afterCommit = orders.withLock { orders in
            defer { orders.afterCommit = nil }
            return orders.afterCommit
        }
        afterCommit?()
        return sequence
    }

    func tryLease(_ number: UInt64) throws(StorageError) -> (any StoreLease)? {
        orders.withLock { $0.leaseCount += 1 }
        return try base.tryLease(number)
    }

    func makeHandle(until deadline: Deadline) throws(StorageError) -> any RecordStore {
        try base.makeHandle(until: deadline)
    }
    func watchChanges() -> any ChangeWatch { base.watchChanges() }

    func close() { base.close() }
}
