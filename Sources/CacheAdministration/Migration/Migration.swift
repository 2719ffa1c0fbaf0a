// SPDX-License-Identifier: Apache-2.0

// SAFETY: the bytes are copied within the closure that receives them.

internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SystemPackage
internal import TokenCaching

/// Migrates a group from one kind of store to another: copies the records, reads them back, compares them, and switches to
/// the new store by replacing the state file. Records keep their boxes, keys and sequences; the new store begins with the
/// next sequence, so that a state file which leads to the old one is recognised.
///
/// Until the switch is durable, it holds all leases for token requests, the lock for keys and the writer's lock, in this
/// order: no process renews a token, changes keys or writes, and all can read. An interrupted migration leaves the group in
/// its old store, and a line in the state file which says that the new one may have records.
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
        let first = try state()
        var resources = resources
        let isThere = first.storage == target.storage
        // The user may be prompted, also for what opens the old store, so no lock is held yet.
        if !isThere {
            let here = StoreReference(first.storage, collection: first.collection)
            try backends.backend(of: here.storage).openSource(here, resources).store.close()
            resources.given = try resources.unlocker.restarting(time) { () throws(StorageError) in
                try resources.unlocker.gatherSecrets()
            }
        }
        let leases = isThere ? nil : try takeLeases()
        defer { leases?.release() }
        return try directory.withLock(.keys, until: deadline) { () throws(StorageError) in
            let now = try state()
            guard now.storage == first.storage else {
                throw StorageError(.busy, path: directory.path.string, detail: "another process has just migrated it")
            }
            return try run(from: now, resources)
        }
    }

    private func takeLeases() throws(StorageError) -> any StoreLease {
        while true {
            if let leases = try directory.tryAllLeases() { return leases }
            guard !deadline.hasPassed else {
                throw StorageError(.busy, detail: "another process is renewing a token and must save it first")
            }
            Pause.sleep(nanoseconds: 20_000_000)
        }
    }

    private func run(
        from first: StoreState,
        _ resources: MigrationResources
    ) throws(StorageError) -> MigrationReport {
        let here = StoreReference(first.storage, collection: first.collection)
        var report = MigrationReport(from: StorageLocation.Kind(here.storage), to: StorageLocation.Kind(target.storage))
        let isThere = here.storage == target.storage
        guard !isThere || target.collection == nil || target.collection == here.collection else {
            throw StorageError(
                .storageMismatch,
                path: directory.path.string,
                detail: "a group cannot move directly from one collection of the keyring to another",
                advice: "Run cachetool migrate --to file, then cachetool migrate --to keyring --collection NAME"
            )
        }
        let others = try StoragePlanner.known(directory, among: backends).otherStores
        report.wasResumed = !others.isEmpty
        report.wasMoved = !isThere
        if isThere, others.isEmpty { return report }
        // Nothing is removed until the store in use is open.
        let source = try backends.backend(of: here.storage).openSource(here, resources)
        defer { source.store.close() }
        try check(first, source)
        for other in others { try removal(source).remove(other) }
        if isThere {
            try change(source.keys) { ($0.target, $0.leftover) = (nil, nil) }
            return report
        }
        try move(here, source: source, resources, report: &report)
        return report
    }

    /// Checks that the folder and the store belong together.
    private func check(_ state: StoreState, _ source: MigrationSource) throws(StorageError) {
        let keys = source.keys
        guard keys.uuid.description == state.group else { throw StorageError(.foreign, path: directory.path.string) }
        guard [source.storage, target.storage].contains(where: \.isInKeyring) else { return }
        if source.storage.isInKeyring, !state.isAuthentic(under: keys) { throw state.unprovenInKeyring(in: directory) }
        guard directory.hasOwnSecrets(of: keys, state) else { throw StoreState.isCopy(in: directory) }
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
            sequence: try source.store.newestSequence(until: deadline),
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
        _ resources: MigrationResources,
        report: inout MigrationReport
    ) throws(StorageError) {
        try source.settle(time)
        let epoch = source.keys.epoch
        let destination = try backends.backend(of: target.storage).makeDestination(target, resources, from: source)
        defer { destination.close() }
        try destination.check()
        let lock = try directory.lock(.writer, until: deadline)
        do throws(StorageError) {
            _ = try source.store.refresh(until: deadline)
            // The destination has the keys from before the lock.
            guard source.keys.epoch == epoch else {
                throw StorageError(.busy, path: directory.path.string, detail: "the keys of the group were changed")
            }
            var new = try state()
            // What was not signed must not be signed unread.
            if !new.isAuthentic(under: source.keys) { new.folder = nil }
            new.target = target
            try write(new, source.keys, under: lock)
            try reach(.marked)
            try copy(source, to: destination, &report)
            try reach(.copied)
            try compare(source.store, with: destination, report)
            try reach(.verified)
            new.storage = target.storage
            new.collection = target.collection
            new.reason = reason
            new.target = nil
            new.leftover = here
            new.isAnchorPending = false
            try write(new, source.keys, under: lock)
            directory.revision.bump()
            lock.release()
        } catch {
            lock.release()
            if error == Self.killed { throw error }
            guard let now = try? state() else { throw error }
            guard now.storage == target.storage else {
                abandon(source)
                throw error
            }
            // The old store goes only once the switch is durable.
            try directory.sync()
            directory.revision.bump()
        }
        try reach(.flipped)
        try removal(source, after: destination).remove(OtherStore(here))
        try reach(.wiped)
        try change(source.keys) { $0.leftover = nil }
    }

    /// Empties the new store, if it can be reached; otherwise the next process that opens the group for writing does so.
    private func abandon(_ source: MigrationSource) {
        do throws(StorageError) {
            try removal(source).remove(OtherStore(target, isTarget: true))
            try change(source.keys) { $0.target = nil }
        } catch {}
    }

    private func copy(
        _ source: MigrationSource,
        to destination: any MigrationDestination,
        _ report: inout MigrationReport
    ) throws(StorageError) {
        let total = try source.store.partitions(until: deadline).count
        var meter = ProgressMeter(progress, phase: .writing, totalBytes: UInt64(total))
        var (recordCount, partitionCount) = (0, 0)
        try destination.fill(sequence: source.store.newestSequence(until: deadline) + 1) { put throws(StorageError) in
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

    private static var differs: StorageError {
        StorageError(
            .damaged,
            detail: "the records read back from the new store differ from those that were written",
            advice: "Nothing was changed; try again"
        )
    }

    // MARK: - The state file

    private func write(
        _ state: StoreState,
        _ keys: GroupKeys,
        under lock: borrowing DirectoryLock
    ) throws(StorageError) {
        var state = state
        try state.authenticate(with: keys)
        try directory.writeState(state, under: lock)
    }

    private func change(_ keys: GroupKeys, _ body: (inout StoreState) -> Void) throws(StorageError) {
        let changed = try directory.changeState(with: keys, until: deadline) { state throws(StorageError) in
            body(&state)
        }
        if changed == nil { throw StorageError(.notFound, path: directory.path.string) }
    }

    /// The error with which tests end a migration as if the process were killed.
    static let killed = StorageError(.cancelled, detail: "killed")

    private func reach(_ step: MigrationStep) throws(StorageError) {
        time.restart()
        if let error = onStep?(step) { throw error }
    }
}
