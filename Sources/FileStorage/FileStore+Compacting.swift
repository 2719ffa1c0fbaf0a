internal import GroupDirectory
package import RecordStorage
internal import Synchronization

extension FileStore {
    /// Writes the journal anew without what is dead in it. Others go on reading and writing meanwhile.
    ///
    /// - Throws: ``StorageError/Code/busy`` where another thread or process is at it already.
    package func compact(until deadline: Deadline) throws(StorageError) {
        if let readOnlyReason { throw readOnlyReason }
        let perItemDeadlines = max(deadline.remaining, .zero)
        try absorb(until: deadline) { _ in }
        try directory.withLock(.compactor, until: deadline) { () throws(StorageError) in
            directory.removeStaleTemporaries()
            let compactor = Compactor(store: self) { [self] in core.withLock { $0.isClosed } }
            // Copying takes the time that it takes. Whoever waits for the lock after it waits as long as anybody does.
            let lockDeadline = { deadline.hasPassed ? .after(perItemDeadlines) : deadline }
            for _ in 0..<4 where try compactor.run(until: lockDeadline) { return }
            throw StorageError(
                .busy,
                path: directory.path(of: JournalFormat.fileName),
                detail: "the journal was replaced again and again"
            )
        }
    }

    /// Waits until what goes on behind this store has ended. For tests and for orderly ends.
    package func waitForUpkeep() {
        upkeep.wait()
    }

    /// Ends what goes on behind the store. A compaction stops at its next record, and another process does it again;
    /// one of a small journal gets a moment to finish first, or else none would ever where processes are short-lived.
    func stopUpkeep() {
        let isShort = core.withLock { $0.state.end <= 16 << 20 }
        upkeep.stop(at: .after(isShort ? Self.shortUpkeep : .zero))
    }

    private static let shortUpkeep = Duration.milliseconds(250)

    /// Starts a compaction behind the store if it is worth it. Call it after an acknowledgement, without the lock.
    func compactIfWorthIt() {
        let isWorthIt = core.withLock { core in
            !core.isClosed && core.state.sequence >= core.nextCompaction && core.state.isWorthCompacting
        }
        guard isWorthIt else { return }
        upkeep.start { [self] isStopped in
            let outcome = compactBehind(isStopped)
            // What failed now fails again: not before much more was written.
            core.withLock { $0.nextCompaction = outcome ? 0 : $0.state.sequence + 1000 }
        }
    }

    private func compactBehind(_ isStopped: @escaping @Sendable () -> Bool) -> Bool {
        do throws(StorageError) {
            return try directory.withLock(.compactor, until: .after(.zero)) { () throws(StorageError) in
                // What a killed compactor left may be as large as the journal.
                directory.removeStaleTemporaries()
                return try Compactor(store: self, isCancelled: isStopped).run(until: { .after(.seconds(10)) })
            }
        } catch {
            return false
        }
    }
}

extension JournalState {
    /// Whether so much is dead, or so many frames are to be read at opening, that writing the file anew pays.
    var isWorthCompacting: Bool {
        if frameCount > max(1000, generation.index.partitionCount / 10) { return true }
        return deadByteCount > 1 << 20 && deadByteCount > end / 2
    }
}
