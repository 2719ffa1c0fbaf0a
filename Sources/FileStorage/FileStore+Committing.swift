// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage
package import Sealing
internal import Synchronization

extension FileStore {
    @discardableResult
    package func commit(
        until deadline: Deadline,
        _ body: (CommitContext, any BatchWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        if let readOnlyReason { throw readOnlyReason }
        try checkOpen()
        defer { compactIfWorthIt() }
        let done = try keyChain.following(directory, until: deadline) { () throws(StorageError) -> Committed? in
            try directory.withLock(.writer, until: deadline) { () throws(StorageError) -> Committed? in
                try directory.confirm(.file)
                guard let changes = try begin() else { return nil }
                defer { end() }
                return try commit(seeing: changes, until: deadline, body)
            }
        }
        if done.removes, let handler = keyChain.removalHandler.withLock({ $0 }), let slots = try? keySlots {
            handler(slots, done.sequence, deadline)
        }
        return done.sequence
    }

    private struct Committed {
        let sequence: UInt64
        /// Whether the transaction removed data at the user's request.
        var removes = false
    }

    /// Calls `handler` after every transaction of this store, or of a handle made from it, that removed data at the
    /// user's request. The call happens on the committing thread once the transaction is durable, with no lock held,
    /// and passes the key slots, the sequence and the caller's deadline.
    package func onRemoval(
        _ handler: @escaping @Sendable (_ slots: KeySlots, _ sequence: UInt64, _ deadline: Deadline) -> Void
    ) {
        keyChain.removalHandler.withLock { $0 = handler }
    }

    /// Runs one transaction, passing it the changes since the last query. The caller holds the writer's lock on the
    /// newest state.
    private func commit(
        seeing changes: StoreChanges,
        until deadline: Deadline,
        _ body: (CommitContext, any BatchWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> Committed {
        let (sequence, header, keys) = try withState { ($0.sequence, $0.generation.header, $0.generation.keys) }
        let batch = JournalBatch(sequence: sequence + 1) { [directory] () throws(StorageError) in
            try SnapshotBuilder(in: directory, header: header.next(sequence: sequence + 1), keys: keys)
        }
        let context = CommitContext(
            sequence: sequence + 1,
            epoch: header.epoch,
            changes: changes,
            deadline: deadline
        )
        try body(context, batch)
        guard !batch.isEmpty else { return Committed(sequence: sequence) }
        return Committed(sequence: try write(batch, after: sequence), removes: batch.removalScope != nil)
    }

    /// Brings the store to the newest state and freezes it there. The caller holds the writer's lock.
    ///
    /// - Returns: the changes since the last query; `nil` if the journal's keys are not known, in which case the state
    ///   is unchanged.
    func begin() throws(StorageError) -> StoreChanges? {
        try moving.withLock { _ throws(StorageError) -> StoreChanges? in
            guard let (changes, rest) = try move() else { return nil }
            if case .unusable(let error) = rest { throw error }
            return core.withLock { core in
                core.isFrozen = true
                return core.report(changes)
            }
        }
    }

    func end() {
        core.withLock { $0.isFrozen = false }
    }

    /// Makes a transaction durable. The caller holds the writer's lock on the newest state.
    private func write(_ batch: JournalBatch, after sequence: UInt64) throws(StorageError) -> UInt64 {
        try checkCompleteIfOverwritten()
        try replaceFileIfNeeded()
        try? completeErasures()
        // Check again: on a full disk, the erasures above may have failed and poisoned the file.
        try replaceFileIfNeeded()
        if let builder = batch.builder {
            try install(builder, removingAll: batch.removesAll)
        } else {
            guard try append(batch) else { return sequence }
            if batch.removalScope != nil { try? completeErasures() }
        }
        // A removal also promises to clean up leftover files. The transaction is already durable, so failures here do
        // not fail it.
        guard let scope = batch.removalScope else { return sequence + 1 }
        directory.removeStaleTemporaries()
        if scope >= .account { _ = try? directory.emptyQuarantine() }
        return sequence + 1
    }

    /// - Throws: ``StorageError/Code/damaged`` if another journal was written over this store's journal and ends with a
    ///   partial transaction. A copy may still be in progress, so the tail is not truncated.
    private func checkCompleteIfOverwritten() throws(StorageError) {
        guard try withState({ $0.overwroteFile && $0.tornByteCount > 0 }) else { return }
        let path = directory.path(of: JournalFormat.fileName)
        throw StorageError(
            .damaged,
            path: path,
            detail: "another journal was partly written over this one",
            advice: "If no process is writing it now, open the group again"
        )
    }

    /// Makes a transaction durable as one frame.
    ///
    /// - Returns: false if the transaction has no effect.
    private func append(_ batch: JournalBatch) throws(StorageError) -> Bool {
        let position = try withState { $0.position }
        let generation = position.generation
        let planner = TransactionPlanner(keys: generation.keys, fileByteCount: position.cursor.end) {
            partition throws(StorageError) in
            try self.withState { $0.view(of: partition) }
        }
        let plan = try planner.plan(batch)
        guard !plan.operations.isEmpty else { return false }
        let mayUsePreallocation = batch.removalScope != nil || !plan.hasPuts
        let built = try FrameBuilder(header: generation.header, keys: generation.keys).frame(plan, after: position)
        // A long list of locations to overwrite can exceed the frame limit even when the boxes fit. A transaction of
        // many accounts is written as a snapshot, with a list of records for each account, unless that would copy much.
        let isWide = plan.partitionCount > JournalFormat.largestFramePartitionCount
        guard built.bytes.count <= core.withLock({ $0.longestFrameByteCount }),
            !isWide || mayUsePreallocation || position.usedByteCount / 8 > UInt64(built.bytes.count)
        else {
            try install(batch.spill(), removingAll: batch.removesAll)
            return true
        }
        try write(built, after: position, mayUsePreallocation: mayUsePreallocation)
        return true
    }

    private func write(
        _ built: FrameBuilder.Built,
        after position: JournalState.Position,
        mayUsePreallocation: Bool
    ) throws(StorageError) {
        do throws(StorageError) {
            let appender = Appender(directory: directory, position: position)
            try appender.append(built.bytes, mayUsePreallocation: mayUsePreallocation)
            appender.mark(built.frame)
        } catch {
            if error.code == .indeterminate { core.withLock { $0.isPoisoned = true } }
            throw error
        }
        let seen = try? position.generation.file.currentStatus().identity
        let generation = position.generation
        let cursor = TailReader.Cursor(end: built.frame.end, sequence: built.frame.lead.sequence)
        let note = SyncNote.make(cursor, of: generation.header.journal, keys: generation.keys)
        core.withLock { core in
            _ = core.state.apply(built.frame, noting: false)
            core.state.lastFrame = JournalState.LastFrame(offset: built.frame.offset, bytes: built.bytes)
            core.state.tornByteCount = 0
            if let seen { core.state.seen = seen }
            // Publish the new state and bump the revision together, so no reader can observe one without the other.
            directory.revision.announce(core.state.sequence, note: note)
        }
    }

    /// Makes a transaction durable by installing a new journal that includes the surviving records of the old one.
    private func install(_ builder: SnapshotBuilder, removingAll: Bool) throws(StorageError) {
        let state = try withState { copy $0 }
        let old = removingAll ? nil : (state.generation, state.overlay)
        let new = try builder.finish(over: old).header
        try keepTornTail(of: state.position)
        try install(builder.temporary, header: new, keys: state.generation.keys, over: state.position)
        var erasure = JournalState.Erasure(sequence: state.sequence, locations: builder.erasedLocations)
        if removingAll { erasure.everythingBefore = state.end }
        Erasing(generation: state.generation, end: state.end).completeInReplaced(state.pendingErasures + [erasure])
    }

    /// Completes erasures that earlier transactions requested but their writers did not finish. The caller holds the
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
            core.state.markErased(through: position.cursor.sequence)
            if let seen { core.state.seen = seen }
        }
    }
}
