// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A store in the memory of this process, for tests and for tokens that need not outlive the process.
///
/// Several handles on one ``MemoryBacking`` behave like the processes of a group: each sees the others' commits at its
/// next refresh.
package final class MemoryStore: RecordStore {
    package let readOnlyReason: StorageError?
    let backing: MemoryBacking
    /// `nil` once closed.
    private let view: Mutex<MemoryView?>

    /// - Parameters:
    ///   - backing: the group; a new, empty one by default.
    ///   - readOnlyReason: the error with which commits fail; `nil` to allow them.
    package init(_ backing: MemoryBacking, readOnlyReason: StorageError? = nil) {
        self.backing = backing
        self.readOnlyReason = readOnlyReason
        view = Mutex(backing.newest(since: 0))
    }

    /// Creates a new group whose boxes are sealed under `epoch`.
    package convenience init(epoch: UInt32 = 1) {
        self.init(MemoryBacking(epoch: epoch))
    }

    package var revision: RevisionWord { backing.revision }

    package var isAtomicAcrossPartitions: Bool { true }

    package func hasUnannouncedChanges() -> Bool { false }

    package func refresh(until deadline: Deadline) throws(StorageError) -> StoreChanges {
        try changeView { $0 = backing.newest(since: $0.sequence) }.changes
    }

    package func contents(of partition: PartitionTag, until deadline: Deadline) throws(StorageError)
        -> PartitionContents
    {
        let view = try changeView { _ in }
        return (view.contents[partition] ?? MemoryPartition(epoch: view.epoch, records: [])).contents
    }

    package func partitions(under tag: SearchTag, until deadline: Deadline) throws(StorageError) -> [PartitionTag] {
        try changeView { _ in }.contents.partitions(under: tag)
    }

    package func partitions(
        until deadline: Deadline
    ) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        try changeView { _ in }.contents.partitions.map { (tag: $0.key, recordCount: $0.value.records.count) }
    }

    @discardableResult
    package func commit(
        until deadline: Deadline,
        _ body: (CommitContext, any BatchWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        if let readOnlyReason { throw readOnlyReason }
        _ = try changeView { _ in }
        guard backing.writerLock.acquire(until: deadline) else {
            throw StorageError(.busy, detail: "another thread of this process is changing the group")
        }
        defer { backing.writerLock.release() }
        let newest = try changeView { $0 = backing.newest(since: $0.sequence) }
        let batch = MemoryBatch()
        let context = CommitContext(
            sequence: newest.sequence + 1,
            epoch: newest.epoch,
            changes: newest.changes,
            deadline: deadline
        )
        try body(context, batch)
        if batch.isEmpty { return newest.sequence }
        let committed = backing.apply(batch)
        // If the store was closed in the meantime, the commit is still valid.
        view.withLock { view in if view != nil { view = committed } }
        return committed.sequence
    }

    package func tryLease(_ number: UInt64) throws(StorageError) -> (any StoreLease)? {
        if let readOnlyReason { throw readOnlyReason }
        _ = try changeView { _ in }
        return backing.leases.acquire(number)
    }

    package func makeHandle(until deadline: Deadline) throws(StorageError) -> any RecordStore {
        try snapshot(until: deadline)
    }

    package func watchChanges() -> any ChangeWatch {
        MemoryWatch(backing.signal)
    }

    package func close() {
        view.withLock { $0 = nil }
    }

    /// The state that this handle last read.
    var currentView: MemoryView {
        get throws(StorageError) { try changeView { _ in } }
    }

    /// Changes the state of this handle and returns the result.
    @discardableResult
    private func changeView(_ change: (inout MemoryView) -> Void) throws(StorageError) -> MemoryView {
        let changed = view.withLock { view -> MemoryView? in
            guard var known = view else { return nil }
            change(&known)
            view = known
            return known
        }
        guard let changed else { throw StorageError(.closed, detail: "the store was closed") }
        return changed
    }
}

/// Waits for changes to a group in memory.
final class MemoryWatch: ChangeWatch {
    private let signal: MemorySignal
    private let seen: Atomic<UInt64>
    private let isStopped = Atomic<Bool>(false)

    init(_ signal: MemorySignal) {
        self.signal = signal
        seen = Atomic(signal.word.load())
    }

    let isPeriodic = false

    func wait() -> Bool {
        let now = signal.wait(after: seen.load(ordering: .relaxed)) { isStopped.load(ordering: .acquiring) }
        seen.store(now, ordering: .relaxed)
        return !isStopped.load(ordering: .acquiring)
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        signal.wake()
    }
}
