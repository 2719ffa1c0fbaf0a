// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
package import RecordStorage
internal import Synchronization

extension FileStore {
    package func hasUnannouncedChanges() -> Bool {
        if directory.hasBeenMoved() { return true }
        let (seen, generation, cursor, lastFrame) = core.withLock {
            ($0.state.seen, $0.state.generation, $0.state.cursor, $0.state.lastFrame)
        }
        let (file, header) = (generation.file, generation.header)
        let isPageNew = directory.revision.remapIfReplaced()
        guard !isPageNew, (try? directory.identityWithoutTime(of: JournalFormat.fileName)) == seen else { return true }
        // An unchanged length proves nothing: a copy may have been written over the file, and transactions overwrite
        // preallocated space.
        let isSame = try? lastFrame?.isStillThere(in: file) ?? header.isStored(at: 0, in: file)
        return isSame != true || (try? TailReader(generation: generation, note: nil).isRoom(at: cursor)) != true
    }

    package func refresh(until deadline: Deadline) throws(StorageError) -> StoreChanges {
        try directory.confirmReading(.file)
        try waitForAnnouncedTransaction(until: deadline)
        return try keyChain.following(directory, until: deadline) { () throws(StorageError) -> StoreChanges? in
            let first = try moving.withLock { _ throws(StorageError) in try move() }
            guard let first else { return nil }
            guard case .unusable = first.rest else { return core.withLock { $0.report(first.changes) } }
            // The file may have changed during the read: read it again under a shared lock that keeps writers out.
            let second = try directory.withLock(.writer, .shared, until: deadline) { () throws(StorageError) in
                try moving.withLock { _ throws(StorageError) in try move() }
            }
            guard let second else { return nil }
            if case .unusable(let error) = second.rest { throw error }
            return core.withLock { $0.report(second.changes) }
        }
    }

    /// Waits for this store's own transaction to become durable if another process has already read and announced it,
    /// because what other processes see must be visible here too.
    private func waitForAnnouncedTransaction(until deadline: Deadline) throws(StorageError) {
        while core.withLock({ $0.isFrozen && $0.state.sequence + 1 == directory.revision.announcedSequence }) {
            if deadline.hasPassed {
                let path = directory.path(of: JournalFormat.fileName)
                throw StorageError(.timeout, path: path, detail: "the disk did not answer in time")
            }
            Syscalls.sleep(nanoseconds: 50_000)
        }
    }

    package func contents(
        of partition: PartitionTag,
        until deadline: Deadline
    ) throws(StorageError) -> PartitionContents {
        try contents(try withState { $0.view(of: partition) }) { _ in false }
    }

    package func contents(
        of partition: PartitionTag,
        until deadline: Deadline,
        reader: any BoxReader,
        isKnown: (StoredRecord) -> Bool
    ) throws(StorageError) -> PartitionContents {
        let view = try withState { $0.view(of: partition) }
        return try contents(view, isKnown: view.generation === reader ? isKnown : { _ in false })
    }

    private func contents(
        _ view: PartitionView,
        isKnown: (StoredRecord) -> Bool
    ) throws(StorageError) -> PartitionContents {
        do throws(StorageError) {
            return view.contents(try view.read(), isKnown: isKnown)
        } catch {
            // After a migration to another store, the records here are erased.
            try directory.confirmReading(.file)
            throw error
        }
    }

    package func partitions(
        under tag: SearchTag,
        until deadline: Deadline
    ) throws(StorageError) -> [PartitionTag] {
        let (generation, overlaid, hidesSnapshot) = try withState {
            ($0.generation, $0.overlay.partitions(under: tag), $0.overlay.hidesSnapshot)
        }
        var found = overlaid
        if !hidesSnapshot {
            for row in generation.index.rows(under: tag) { found.insert(generation.index[row].tag) }
        }
        return found.sorted()
    }

    package func partitions(
        until deadline: Deadline
    ) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        try recordCounts()
    }

    /// The partitions and their record counts, read from disk without waiting for a lock.
    func recordCounts() throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        let (generation, overlay) = try withState { ($0.generation, $0.overlay) }
        var found: [(tag: PartitionTag, recordCount: Int)] = []
        if !overlay.hidesSnapshot {
            found.reserveCapacity(generation.index.partitionCount + overlay.partitions.count)
            for row in 0..<generation.index.partitionCount {
                let row = generation.index[row]
                if overlay.partitions[row.tag] == nil { found.append((row.tag, Int(row.recordCount))) }
            }
        }
        for (tag, changed) in overlay.partitions {
            let view = PartitionView(
                generation: generation,
                partition: tag,
                changed: changed,
                hidesSnapshot: overlay.hidesSnapshot
            )
            let count = try count(view)
            if count > 0 { found.append((tag, count)) }
        }
        found.sort { $0.tag < $1.tag }
        return found
    }

    /// The number of records in a partition that frames changed. A partition whose block is damaged counts as
    /// non-empty, so that reading it reports the damage.
    private func count(_ view: PartitionView) throws(StorageError) -> Int {
        do throws(StorageError) {
            return try view.read().records.count
        } catch {
            guard error.code == .damaged else { throw error }
            return max(1, PartitionView.merge([], view.changed).count)
        }
    }

    /// Brings the store to the newest state, holds back the changes for the next query, and passes the state to `body`.
    ///
    /// - Returns: the result of `body`; `nil` if the journal's keys are not known.
    func absorb<Result: Sendable>(_ body: (borrowing JournalState) -> Result) throws(StorageError) -> Result? {
        let hasMoved = try moving.withLock { _ throws(StorageError) in
            guard let (changes, rest) = try move() else { return false }
            if case .unusable(let error) = rest { throw error }
            core.withLock { $0.unreported = $0.unreported.merging(changes) }
            return true
        }
        return hasMoved ? try withState(body) : nil
    }

    /// Like ``absorb(_:)``, but unlocks unknown keys; the caller must hold no lock.
    func absorb<Result: Sendable>(
        until deadline: Deadline,
        _ body: (borrowing JournalState) -> Result
    ) throws(StorageError) -> Result {
        try keyChain.following(directory, until: deadline) { () throws(StorageError) in try absorb(body) }
    }

    /// Brings the store to the newest state of the file. The caller holds ``moving``.
    ///
    /// - Returns: `nil` if the journal's keys are not known; the state is then unchanged.
    func move() throws(StorageError) -> (changes: StoreChanges, rest: TailReader.Rest)? {
        if core.withLock({ $0.isFrozen }) { return (.none, .nothing) }
        let (generation, cursor, seen, lastFrame, isTorn) = try withState {
            ($0.generation, $0.cursor, $0.seen, $0.lastFrame, $0.tornByteCount > 0)
        }
        // Read the note first: otherwise a frame appended and noted between the two reads would seem to be missing.
        let note = SyncNote(of: generation, in: directory)
        core.withLock { $0.state.note = note }
        guard let now = try directory.identityWithoutTime(of: JournalFormat.fileName) else {
            try directory.confirmReading(.file)
            let path = directory.path(of: JournalFormat.fileName)
            throw StorageError(.notFound, path: path, detail: "the journal was removed")
        }
        // A restored backup or a folder-synchronising program may have written another journal over this file. Its
        // bytes must not be mistaken for a torn transaction of this journal, or be overwritten.
        guard now.isSameFile(as: generation.file.identity), now.size >= cursor.end,
            try generation.header.isStored(at: 0, in: generation.file),
            try lastFrame?.isStillThere(in: generation.file) ?? true
        else { return try reopen(insteadOf: generation) }
        let reader = TailReader(generation: generation, note: note)
        // File attributes are not enough: only the content shows whether a writer has begun a transaction.
        if now == seen, !isTorn, (note?.sequence ?? 0) <= cursor.sequence, try reader.isRoom(at: cursor) {
            return (.none, .nothing)
        }
        var frames: [JournalFrame] = []
        let result = try reader.read(from: cursor, fileByteCount: now.size) { frames.append($0) }
        if case .unusable = result.rest {
            // The copy of the header is overwritten in a file that was replaced.
            return try generation.file.isNamed(in: directory)
                ? (.none, result.rest) : try reopen(insteadOf: generation)
        }
        let newLastFrame = result.last.map { JournalState.LastFrame($0) }
        guard try newLastFrame?.isStillThere(in: generation.file) ?? true else {
            return try reopen(insteadOf: generation)
        }
        // Deferred, so that every applied transaction is announced even if an error follows.
        defer { directory.revision.announceIfNewer(result.cursor.sequence) }
        return core.withLock { core in
            var changes = StoreChanges.none
            for frame in frames { changes = changes.merging(core.state.apply(frame)) }
            core.state.finish(result, newLastFrame)
            core.state.seen = now
            return (changes, result.rest)
        }
    }

    /// Opens the journal that is installed now. The caller holds ``moving``.
    private func reopen(
        insteadOf old: Generation
    ) throws(StorageError) -> (changes: StoreChanges, rest: TailReader.Rest)? {
        guard let (opened, rest) = try JournalState.open(in: directory, keyChain: keyChain) else { return nil }
        if case .unusable = rest { return (.none, rest) }
        var state = opened
        try Self.checkGroup(state.generation.header.group, in: directory)
        state.overwroteFile = state.generation.file.identity.isSameFile(as: old.file.identity)
        core.withLock { $0.replace(with: state) }
        directory.revision.announceIfNewer(state.sequence)
        return (.everything, rest)
    }
}

extension FileStore.Core {
    /// The changes to report now: `changes` merged with those held back earlier.
    mutating func report(_ changes: StoreChanges) -> StoreChanges {
        defer { unreported = .none }
        return unreported.merging(changes)
    }
}
