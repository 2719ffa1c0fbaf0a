// SPDX-License-Identifier: Apache-2.0

// SAFETY: the bytes are copied within the closure that receives them.

internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SystemPackage
internal import TokenCaching

/// Migrates a group from one kind of store to another: marks it as moving, copies, compares, switches to the new store,
/// and empties the old one. Records keep their boxes, keys and sequences.
///
/// The lock for keys is held throughout, the writer's lock only to change the state file: no process writes while that
/// says that the group is moving.
struct Migration {
    let resources: MigrationResources
    /// The kinds of store that groups can be migrated to and from.
    let backends: [any MovableBackend]
    let target: StoreReference
    /// Why the group has its new store, for the state file.
    let reason: String
    let progress: ProgressHandler?
    let onStep: ((MigrationStep) -> StorageError?)?

    private var directory: GroupDirectory { resources.directory }
    private var time: WaitingTime { resources.time }
    private var deadline: Deadline { time.deadline }

    func run() throws(StorageError) -> MigrationReport {
        if let readOnlyReason = directory.readOnlyReason { throw readOnlyReason }
        let lock = try directory.lock(.keys, until: deadline)
        do throws(StorageError) {
            let report = try run(from: state())
            lock.release()
            return report
        } catch {
            lock.release()
            throw error
        }
    }

    private func run(from first: StoreState) throws(StorageError) -> MigrationReport {
        let here = StoreReference(first.storage, collection: first.collection)
        var report = MigrationReport(from: StorageLocation.Kind(here.storage), to: StorageLocation.Kind(target.storage))
        report.wasResumed = first.phase == .moving || first.leftover != nil
        let isThere = here.storage == target.storage
        guard !isThere || target.collection == nil || target.collection == here.collection else {
            throw StorageError(
                .storageMismatch,
                path: directory.path.string,
                detail: "a group cannot move directly from one collection of the keyring to another",
                advice: "Run cachetool migrate --to file, then cachetool migrate --to keyring --collection NAME"
            )
        }
        report.wasMoved = !isThere
        if isThere, first.phase == .ready, !first.namesRemovals { return report }
        // Nothing is removed until the store in use is open.
        let source = try backends.backend(of: here.storage).openSource(here, resources)
        defer { source.store.close() }
        let state = try clearUp(first, source)
        if isThere {
            if state.phase == .moving { try takeBack(state, source) }
            return report
        }
        if let other = state.target, other != target { try removal(source).remove(other) }
        try move(here, source: source, report: &report)
        return report
    }

    /// Removes the leftovers of an earlier migration.
    private func clearUp(_ state: StoreState, _ source: MigrationSource) throws(StorageError) -> StoreState {
        let keys = source.keys
        guard keys.uuid.description == state.group else { throw StorageError(.foreign, path: directory.path.string) }
        guard !state.namesRemovals || state.isAuthentic(under: keys) else { throw state.unauthenticated(in: directory) }
        if source.storage.isInKeyring {
            // The keys of such a group need no secret of the folder, so the folder has to prove that it is theirs.
            guard state.isAuthentic(under: keys) else { throw state.unprovenInKeyring(in: directory) }
            guard directory.hasOwnSecrets(of: keys, state) else { throw isCopy }
        }
        guard let leftover = state.leftover else { return state }
        try removal(source).remove(leftover)
        return try change(keys) { $0.leftover = nil }
    }

    private var isCopy: StorageError {
        StorageError(
            .groupElsewhere,
            path: directory.path.string,
            detail: "this folder is a copy of the one for which the group in the keyring was made",
            advice: "Migrate the group there; if that folder is gone, run cachetool repair --adopt first"
        )
    }

    /// Removes what the group has outside `source`, the store in use; or, once the folder names the new store, the old
    /// store.
    private func removal(
        _ source: MigrationSource,
        after destination: (any MigrationDestination)? = nil
    ) throws(StorageError) -> LeftoverRemoval {
        LeftoverRemoval(
            directory: directory,
            access: resources.access,
            time: time,
            ownKeyFiles: resources.ownKeyFiles,
            unlocker: resources.unlocker,
            storage: destination == nil ? source.storage : target.storage,
            hasKeySlots: destination?.hasKeySlots ?? source.hasKeySlots,
            keys: source.keys,
            sequence: try source.store.newestSequence,
            backends: backends
        )
    }

    /// Reads the group's state file. Throws if the group is missing or incomplete.
    private func state() throws(StorageError) -> StoreState {
        guard let state = try directory.readState(), state.phase != .creating else {
            throw StorageError(
                .notFound,
                path: directory.path.string,
                detail: "there is no complete group in this folder"
            )
        }
        return state
    }

    // MARK: - Moving

    private func move(
        _ here: StoreReference,
        source: MigrationSource,
        report: inout MigrationReport
    ) throws(StorageError) {
        let backend = try backends.backend(of: target.storage)
        var destination = try backend.makeDestination(target, resources, from: source)
        defer { destination.close() }
        try destination.check()
        // This removes the remains of an interrupted attempt there, and nothing else.
        try removal(source).remove(target)
        while try directory.heldLeaseCount(until: deadline) > 0, !deadline.hasPassed {
            Pause.sleep(nanoseconds: 20_000_000)
        }
        try change(source.keys) { state in
            state.phase = .moving
            state.target = target
        }
        do throws(StorageError) {
            // A process that takes a lease from now on sees the mark.
            guard try directory.heldLeaseCount(until: deadline) == 0 else { throw Self.isRenewing }
            try reach(.marked)
            try source.settle(time)
            // A change of keys may have been in progress when the destination was made.
            destination.close()
            destination = try backend.makeDestination(target, resources, from: source)
            try copy(source, to: destination, &report)
            try reach(.copied)
            try compare(source.store, with: destination, report)
            try reach(.verified)
            try change(source.keys) { state in
                state = StoreState(
                    storage: target.storage,
                    reason: reason,
                    group: state.group,
                    phase: .ready,
                    folder: state.folder,
                    collection: target.collection,
                    leftover: here,
                    unknownFields: state.unknownFields
                )
            }
            directory.revision.bump()
        } catch {
            try recover(from: error, to: here, source)
        }
        try reach(.flipped)
        try removal(source, after: destination).remove(here)
        try reach(.wiped)
        try change(source.keys) { $0.leftover = nil }
    }

    /// Undoes the migration, unless the state file already names the new store.
    private func recover(
        from error: StorageError,
        to here: StoreReference,
        _ source: MigrationSource
    ) throws(StorageError) {
        if error == Self.killed { throw error }
        let now: StoreState
        do throws(StorageError) {
            now = try state()
            if now.storage == target.storage, now.phase == .ready { return }
            try takeBack(now, source)
        } catch let second {
            let detail = [error.detail, "and undoing it failed too (\(second.code))"]
            throw StorageError(
                error.code,
                path: error.path,
                detail: detail.compactMap(\.self).joined(separator: "; "),
                advice: "Run cachetool migrate --to \(here.storage.rawValue) later to undo it",
                errno: error.errno
            )
        }
        throw error
    }

    private func copy(
        _ source: MigrationSource,
        to destination: any MigrationDestination,
        _ report: inout MigrationReport
    ) throws(StorageError) {
        let total = try source.store.partitions(until: deadline).count
        var meter = ProgressMeter(progress, phase: .writing, totalBytes: UInt64(total))
        var (recordCount, partitionCount) = (0, 0)
        try destination.fill(sequence: source.store.newestSequence) { put throws(StorageError) in
            try source.forEachPartition(time) { records throws(StorageError) in
                try put(records)
                recordCount += records.count
                partitionCount += 1
                try note(&meter, count: partitionCount, entryCount: recordCount)
                if partitionCount == 1 { try reach(.begun) }
            }
        }
        report.recordCount = recordCount
        report.partitionCount = partitionCount
    }

    /// Reads the records back from the new store, and compares them.
    private func compare(
        _ source: any RecordStore,
        with destination: any MigrationDestination,
        _ report: MigrationReport
    ) throws(StorageError) {
        let made = try destination.open()
        defer { made.close() }
        let partitions = try source.partitions(until: deadline)
        guard try made.partitions(until: deadline).map(\.tag) == partitions.map(\.tag) else { throw Self.differs }
        var meter = ProgressMeter(progress, phase: .verifying, totalBytes: UInt64(partitions.count))
        for (index, partition) in partitions.enumerated() {
            let old = try source.contents(of: partition.tag, until: deadline)
            let new = try made.contents(of: partition.tag, until: deadline)
            guard old.records.count == new.records.count, old.facts == new.facts else { throw Self.differs }
            for (one, other) in zip(old.records, new.records) {
                guard one.tag == other.tag, one.kind == other.kind, one.sequence == other.sequence,
                    one.secret.length == other.secret.length
                else { throw Self.differs }
                let (left, right) = (try Self.box(one, old.reader), try Self.box(other, new.reader))
                guard left == right else { throw Self.differs }
            }
            try note(&meter, count: index + 1, entryCount: report.recordCount)
        }
    }

    private static func box(_ record: StoredRecord, _ reader: any BoxReader) throws(StorageError) -> [UInt8] {
        try reader.withBox(at: record.secret) { box in unsafe box.withUnsafeBytes { unsafe Array($0) } }
    }

    private func note(_ meter: inout ProgressMeter, count: Int, entryCount: Int) throws(StorageError) {
        time.restart()
        try meter.note(completedBytes: count, entryCount: entryCount)
    }

    private static var isRenewing: StorageError {
        StorageError(.busy, detail: "another process is renewing a token and must save it first")
    }

    private static var differs: StorageError {
        StorageError(
            .damaged,
            detail: "the records read back from the new store differ from those that were written",
            advice: "Nothing was changed; try again"
        )
    }

    // MARK: - Undoing, and removing leftovers

    /// Abandons an attempt: the group keeps its old store and remains usable, even if the new store cannot be reached
    /// now. The next process that opens the group removes what was begun there.
    private func takeBack(_ state: StoreState, _ source: MigrationSource) throws(StorageError) {
        try change(source.keys) { state in
            state.phase = .ready
            state.leftover = state.target
            state.target = nil
        }
        guard let target = state.target else { return }
        do throws(StorageError) { try removal(source).remove(target) } catch { return }
        try change(source.keys) { $0.leftover = nil }
    }

    @discardableResult
    private func change(
        _ keys: GroupKeys,
        _ body: (inout StoreState) -> Void
    ) throws(StorageError) -> StoreState {
        let changed = try directory.changeState(with: keys, until: deadline) { state throws(StorageError) in
            body(&state)
        }
        guard let changed else { throw StorageError(.notFound, path: directory.path.string) }
        return changed
    }

    /// The error with which tests end a migration as if the process were killed.
    static let killed = StorageError(.cancelled, detail: "killed")

    private func reach(_ step: MigrationStep) throws(StorageError) {
        time.restart()
        if let error = onStep?(step) { throw error }
    }
}
