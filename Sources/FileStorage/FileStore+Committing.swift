internal import GroupDirectory
package import RecordStorage
internal import Synchronization
internal import SystemPackage

extension FileStore {
    @discardableResult
    package func commit(
        until deadline: Deadline,
        _ body: (CommitContext, any BatchWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        if let readOnlyReason { throw readOnlyReason }
        _ = try withState { $0.sequence }
        return try directory.withLock(.writer, until: deadline) { () throws(StorageError) in
            let changes = try begin()
            defer { end() }
            let (sequence, epoch) = try withState { ($0.sequence, $0.generation.epoch) }
            let batch = JournalBatch()
            try body(CommitContext(sequence: sequence + 1, epoch: epoch, changes: changes), batch)
            guard !batch.isEmpty else { return sequence }
            try? completeErasures()
            let newest = try append(batch)
            afterAcknowledgement(batch)
            return newest
        }
    }

    /// Overwrites what earlier transactions wanted overwritten and their writers did not come to. The caller holds the
    /// writer's lock.
    func completeErasures() throws(StorageError) {
        let position = try withState { $0.position }
        guard !position.pendingErasures.isEmpty else { return }
        do throws(StorageError) {
            try Erasing(generation: position.generation, end: position.cursor.end).complete(position.pendingErasures)
        } catch {
            if error.code == .indeterminate { core.withLock { $0.isPoisoned = true } }
            throw error
        }
        let seen = try? position.generation.file.currentStatus().identity
        core.withLock { core in
            core.state.markPunched(through: position.cursor.sequence)
            if let seen { core.state.seen = seen }
        }
    }

    /// What a removal promises beyond being durable. It is acknowledged: what fails now is left to the next writer.
    private func afterAcknowledgement(_ batch: JournalBatch) {
        guard batch.removesSomething else { return }
        try? completeErasures()
        directory.removeStaleTemporaries()
        if batch.removesAll { _ = try? directory.emptyQuarantine() }
    }

    /// Brings the store to the newest state and keeps it there. The caller holds the writer's lock.
    func begin() throws(StorageError) -> StoreChanges {
        try moving.withLock { _ throws(StorageError) in
            let (changes, rest) = try move()
            if case .damaged(let error) = rest { throw error }
            core.withLock { $0.isFrozen = true }
            return changes
        }
    }

    func end() {
        core.withLock { $0.isFrozen = false }
    }

    /// Makes a transaction durable as one frame. The caller holds the writer's lock, and the state is the newest.
    private func append(_ batch: JournalBatch) throws(StorageError) -> UInt64 {
        let position = try withState { $0.position }
        let generation = position.generation
        let planner = TransactionPlanner(keys: generation.keys, fileByteCount: position.cursor.end) {
            partition throws(StorageError) in
            try self.withState { $0.view(of: partition) }
        }
        let plan = try planner.plan(batch)
        guard !plan.operations.isEmpty else { return position.cursor.sequence }
        let frame = try FrameBuilder(header: generation.header, keys: generation.keys).frame(plan, after: position)
        try write(frame, mayUseReserve: plan.erases || !plan.hasPuts)
        return position.cursor.sequence + 1
    }

    /// Appends a frame and makes it durable.
    private func write(_ frame: FrameBuilder.Built, mayUseReserve: Bool) throws(StorageError) {
        let position = try withState { $0.position }
        let file = position.generation.file
        var reserve = core.withLock { $0.reserve }
        defer { core.withLock { [reserve] in $0.reserve = reserve } }
        let appender = Appender(directory: directory, position: position)
        do throws(StorageError) {
            try appender.append(frame.bytes, reserve: &reserve, mayUseReserve: mayUseReserve)
        } catch {
            if error.code == .indeterminate { core.withLock { $0.isPoisoned = true } }
            throw error
        }
        let end = frame.frame.end
        directory.noteSynced(position.generation, byteCount: end)
        let seen = try? file.currentStatus().identity
        core.withLock { core in
            _ = core.state.apply(frame.frame)
            core.state.lastFrame = JournalState.LastFrame(offset: frame.frame.offset, bytes: frame.bytes)
            core.state.tornByteCount = 0
            if let seen { core.state.seen = seen }
        }
        directory.revision.bump()
    }
}
