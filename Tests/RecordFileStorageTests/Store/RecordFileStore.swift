// SPDX-License-Identifier: Apache-2.0

import GroupDirectory
import RecordStorage
import Sealing
import Synchronization
import SystemPackage

extension StorageKind {
    /// A file for each record.
    static let recordFiles = StorageKind(rawValue: "record-files")
}

/// A store of one file for each record, and a list that says which of them count.
///
/// It is as small as a store can be that apps use and tools look after, and shows that what stores are asked is enough for a
/// third one. It is no place for tokens: nothing vouches for its list, and a handle keeps all of the group in memory.
final class RecordFileStore: RecordStore {
    typealias Unlock = @Sendable (KeySlots, Deadline) throws(StorageError) -> GroupKeys

    let directory: GroupDirectory
    let unlock: Unlock
    private let state: Mutex<State>

    private struct State {
        var view: RecordView
        var unreported = StoreChanges.none
        var isClosed = false
    }

    private init(_ directory: GroupDirectory, _ view: RecordView, _ unlock: @escaping Unlock) {
        self.directory = directory
        self.unlock = unlock
        state = Mutex(State(view: view))
    }

    /// Opens the store of a group. `unlock` is asked for the keys of slots that were not met before.
    static func open(
        in directory: GroupDirectory,
        until deadline: Deadline,
        unlock: @escaping Unlock
    ) throws(StorageError) -> RecordFileStore {
        let view = try RecordView.read(directory, knowing: nil, until: deadline)
        _ = try unlock(view.slots, deadline)
        return RecordFileStore(directory, view, unlock)
    }

    /// Makes the store of a new group.
    static func create(
        in directory: GroupDirectory,
        slots: KeySlots,
        until deadline: Deadline
    ) throws(StorageError) {
        try directory.withLock(.writer, until: deadline) { () throws(StorageError) in
            try install(in: directory, slots: slots)
        }
    }

    /// The same under the writer's lock.
    static func install(
        in directory: GroupDirectory,
        slots: KeySlots,
        sequence: UInt64 = 0,
        records: [RelocatedRecord] = []
    ) throws(StorageError) {
        guard try directory.identity(of: RecordList.fileName) == nil else {
            throw StorageError(.exists, path: directory.path(of: RecordList.fileName))
        }
        var list = RecordList(slots: slots)
        list.sequence = sequence
        for record in records { try list.add(record.record, sequence: record.sequence, in: directory) }
        try list.install(in: directory)
    }

    var revision: RevisionWord { directory.revision.word }
    var revisionAtOpening: UInt64? { directory.revisionAtOpening }
    var readOnlyReason: StorageError? { directory.readOnlyReason }
    var isAtomicAcrossPartitions: Bool { true }

    func hasUnannouncedChanges() -> Bool {
        let identity = state.withLock { $0.view.identity }
        return directory.hasBeenMoved() || directory.revision.remapIfReplaced()
            || directory.hasMoved(RecordList.fileName, since: identity)
    }

    func refresh(until deadline: Deadline) throws(StorageError) -> StoreChanges {
        try directory.confirmReading(.recordFiles)
        return try state.withLock { state throws(StorageError) in
            try move(&state, until: deadline)
            directory.revision.announceIfNewer(state.view.list.sequence)
            defer { state.unreported = .none }
            return state.unreported
        }
    }

    /// Brings what this handle knows to the newest state.
    private func move(_ state: inout State, until deadline: Deadline) throws(StorageError) {
        if state.isClosed { throw StorageError(.closed, path: directory.path.string) }
        let new = try RecordView.read(directory, knowing: state.view, until: deadline)
        if new.list.slots != state.view.list.slots { _ = try unlock(new.slots, deadline) }
        state.unreported.merge(new.changes(since: state.view))
        state.view = new
    }

    /// What this handle knows.
    var view: RecordView {
        get throws(StorageError) {
            let (view, isClosed) = state.withLock { ($0.view, $0.isClosed) }
            if isClosed { throw StorageError(.closed, path: directory.path.string) }
            return view
        }
    }

    func contents(of partition: PartitionTag, until deadline: Deadline) throws(StorageError) -> PartitionContents {
        let view = try view
        return RecordPartition(view.records(of: partition), epoch: view.slots.epoch, in: directory).contents
    }

    func partitions(under tag: SearchTag, until deadline: Deadline) throws(StorageError) -> [PartitionTag] {
        let entries = try view.list.entries.values.filter { $0.searchTags.contains(tag.rawValue) }
        return Set(entries.map(\.partitionTag)).sorted()
    }

    func partitions(until deadline: Deadline) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        try view.partitions.map { (tag: $0.key, recordCount: $0.value.count) }.sorted { $0.tag < $1.tag }
    }

    @discardableResult
    func commit(
        until deadline: Deadline,
        _ body: (CommitContext, any BatchWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        _ = try view
        return try change(until: deadline) { old, changes throws(StorageError) in
            let context = CommitContext(
                sequence: old.list.sequence + 1,
                epoch: old.slots.epoch,
                changes: changes,
                deadline: deadline
            )
            let batch = RecordBatch()
            try body(context, batch)
            return try batch.apply(to: old.list, in: directory)
        }
    }

    /// Puts another list in force, under the writer's lock. What `body` removes with it is removed behind that.
    ///
    /// - Returns: the newest transaction.
    @discardableResult
    func change(
        until deadline: Deadline,
        _ body: (RecordView, StoreChanges) throws(StorageError) -> RecordChange?
    ) throws(StorageError) -> UInt64 {
        if let readOnlyReason { throw readOnlyReason }
        return try directory.withLock(.writer, until: deadline) { () throws(StorageError) in
            try directory.confirm(.recordFiles)
            let (old, changes) = try state.withLock { state throws(StorageError) in
                try move(&state, until: deadline)
                defer { state.unreported = .none }
                return (state.view, state.unreported)
            }
            guard let change = try body(old, changes) else { return old.list.sequence }
            try change.list.install(in: directory)
            try change.removeFiles(in: directory)
            state.withLock { state in
                guard let new = try? RecordView.read(directory, knowing: old, until: deadline) else { return }
                state.view = new
            }
            return change.list.sequence
        }
    }

    func tryLease(_ number: UInt64) throws(StorageError) -> (any StoreLease)? {
        _ = try view
        return try directory.tryLease(number, in: .recordFiles)
    }

    func makeHandle(until deadline: Deadline) throws(StorageError) -> any RecordStore { try snapshot(until: deadline) }

    func watchChanges() -> any ChangeWatch { directory.watchChanges() }

    func close() { state.withLock { $0.isClosed = true } }
}
