internal import ByteOperations
internal import GroupDirectory
package import RecordStorage
internal import Synchronization

extension FileStore {
    package func wasModifiedExternally() -> Bool {
        if directory.hasBeenMoved() { return true }
        let (seen, generation, end, lastFrame) = core.withLock {
            ($0.state.seen, $0.state.generation, $0.state.end, $0.state.lastFrame)
        }
        let (file, header) = (generation.file, generation.header)
        let isPageNew = directory.revision.remapIfReplaced()
        guard !isPageNew, (try? directory.identityWithoutTime(of: JournalFormat.fileName)) == seen else { return true }
        // Another copy may have been written over it, and a transaction overwrites room: the length tells neither.
        let isSame = try? lastFrame?.isStillThere(in: file) ?? header.stands(at: 0, in: file)
        guard isSame == true, let next = try? file.read(at: end, count: FrameLead.byteCount) else { return true }
        return !next.rawSpan.isZero
    }

    package func refresh(until deadline: Deadline) throws(StorageError) -> StoreChanges {
        try directory.confirmReading(.file)
        try waitForToldTransaction(until: deadline)
        return try keyChain.following(directory, until: deadline) { () throws(StorageError) -> StoreChanges? in
            let first = try moving.withLock { _ throws(StorageError) in try move() }
            guard let first else { return nil }
            guard case .damaged = first.rest else { return core.withLock { $0.report(first.changes) } }
            // It may have been changing under our eyes: look again while nobody writes.
            let second = try directory.withLock(.writer, .shared, until: deadline) { () throws(StorageError) in
                try moving.withLock { _ throws(StorageError) in try move() }
            }
            guard let second else { return nil }
            if case .damaged(let error) = second.rest { throw error }
            return core.withLock { $0.report(second.changes) }
        }
    }

    /// Waits for a transaction of this store that is being made durable, if another process has read it already and told
    /// of it: what is found there has to be found here.
    private func waitForToldTransaction(until deadline: Deadline) throws(StorageError) {
        while core.withLock({ $0.isFrozen && $0.state.sequence + 1 == directory.revision.toldSequence }) {
            if deadline.hasPassed {
                let path = directory.path(of: JournalFormat.fileName)
                throw StorageError(.timeout, path: path, detail: "the disk takes its time")
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
            // What was taken elsewhere is erased here.
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

    /// The partitions and how many records each has, read from the disk alone: nothing is waited for.
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

    /// Number of records of a partition that frames touched. Where its block is damaged it is listed all the same, so that
    /// whoever reads it is told.
    private func count(_ view: PartitionView) throws(StorageError) -> Int {
        do throws(StorageError) {
            return try view.read().records.count
        } catch {
            guard error.code == .damaged else { throw error }
            return max(1, PartitionView.merge([], view.changed).count)
        }
    }

    /// Brings the store to the newest state, keeps what changed for the next who asks, and reads from the state.
    ///
    /// - Returns: what `body` gives; `nil` where the keys of the journal are not known.
    func absorb<Result: Sendable>(_ body: (borrowing JournalState) -> Result) throws(StorageError) -> Result? {
        let hasMoved = try moving.withLock { _ throws(StorageError) in
            guard let (changes, rest) = try move() else { return false }
            if case .damaged(let error) = rest { throw error }
            core.withLock { $0.unreported = $0.unreported.merging(changes) }
            return true
        }
        return hasMoved ? try withState(body) : nil
    }

    /// The same, where the caller holds no lock: the keys are unlocked.
    func absorb<Result: Sendable>(
        until deadline: Deadline,
        _ body: (borrowing JournalState) -> Result
    ) throws(StorageError) -> Result {
        try keyChain.following(directory, until: deadline) { () throws(StorageError) in try absorb(body) }
    }

    /// Brings the store to the newest state of the file. The caller holds ``moving``.
    ///
    /// - Returns: `nil` where the keys of the journal are not known; then nothing was changed.
    func move() throws(StorageError) -> (changes: StoreChanges, rest: TailReader.Rest)? {
        if core.withLock({ $0.isFrozen }) { return (.none, .nothing) }
        let (generation, cursor, seen, lastFrame, isTorn) = try withState {
            ($0.generation, $0.cursor, $0.seen, $0.lastFrame, $0.tornByteCount > 0)
        }
        // The note first: what is appended and noted between the two would seem to be missing.
        let synced = SyncedLength.noted(of: generation, in: directory)
        guard let now = try directory.identityWithoutTime(of: JournalFormat.fileName) else {
            try directory.confirmReading(.file)
            let path = directory.path(of: JournalFormat.fileName)
            throw StorageError(.notFound, path: path, detail: "the journal was removed")
        }
        // Somebody may have written another journal over it: a backup that was put back, a program that keeps folders alike.
        // Nothing of that is to be taken for a torn transaction of this one, or to be written to.
        guard now.isSameFile(as: generation.file.identity), now.size >= cursor.end,
            try generation.header.stands(at: 0, in: generation.file),
            try lastFrame?.isStillThere(in: generation.file) ?? true
        else { return try reopen(insteadOf: generation) }
        let reader = TailReader(generation: generation, syncedByteCount: synced)
        // Whatever the file looks like from outside: only its content tells whether a transaction was begun.
        if now == seen, !isTorn, (synced ?? 0) <= cursor.end, try !reader.isWritten(at: cursor.end) {
            return (.none, .nothing)
        }
        var frames: [JournalFrame] = []
        let result = try reader.read(from: cursor, fileByteCount: now.size) { frames.append($0) }
        if case .damaged = result.rest { return (.none, result.rest) }
        let newLastFrame = try JournalState.LastFrame(result, of: generation)
        guard try newLastFrame?.isStillThere(in: generation.file) ?? true else {
            return try reopen(insteadOf: generation)
        }
        // Before anything is applied: what was applied has to be told.
        defer { directory.revision.tellIfUntold(result.cursor.sequence) }
        return core.withLock { core in
            var changes = StoreChanges.none
            for frame in frames { changes = changes.merging(core.state.apply(frame)) }
            core.state.finish(result, newLastFrame)
            core.state.seen = now
            return (changes, result.rest)
        }
    }

    /// Opens the journal that bears the name now. The caller holds ``moving``.
    private func reopen(
        insteadOf old: Generation
    ) throws(StorageError) -> (changes: StoreChanges, rest: TailReader.Rest)? {
        guard let (opened, rest) = try JournalState.open(in: directory, keyChain: keyChain) else { return nil }
        if case .damaged = rest { return (.none, rest) }
        var state = opened
        try Self.checkGroup(state.generation.header.group, in: directory)
        state.tookFileOver = state.generation.file.identity.isSameFile(as: old.file.identity)
        core.withLock { $0.replace(with: state) }
        directory.revision.tellIfUntold(state.sequence)
        return (.everything, rest)
    }
}

extension FileStore.Core {
    /// What is to be told now: these changes, and what was kept back before.
    mutating func report(_ changes: StoreChanges) -> StoreChanges {
        defer { unreported = .none }
        return unreported.merging(changes)
    }
}
