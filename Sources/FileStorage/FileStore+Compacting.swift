// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage
internal import Synchronization

extension FileStore {
    /// Rewrites the journal without its dead bytes. Other processes keep reading and writing meanwhile.
    ///
    /// - Throws: ``StorageError/Code/busy`` if another thread or process is already compacting.
    package func compact(until deadline: Deadline) throws(StorageError) {
        if let readOnlyReason { throw readOnlyReason }
        let timeLeft = max(deadline.remaining, .zero)
        try absorb(until: deadline) { _ in }
        try directory.withLock(.compactor, until: deadline) { () throws(StorageError) in
            directory.removeStaleTemporaries()
            let compactor = Compactor(store: self) { [self] in core.withLock { $0.isClosed } }
            // Copying takes as long as it takes. The wait for the lock afterwards is as long as for any other call.
            let lockDeadline = { deadline.hasPassed ? .after(timeLeft) : deadline }
            for _ in 0..<4 where try compactor.run(until: lockDeadline) { return }
            throw StorageError(
                .busy,
                path: directory.path(of: JournalFormat.fileName),
                detail: "the journal was replaced again and again"
            )
        }
    }

    /// Waits for background work to end. For tests and for an orderly shutdown.
    package func waitForUpkeep() {
        upkeep.wait()
    }

    /// Ends background work. A compaction stops at its next record, and another process starts over; one of a small
    /// journal gets a moment to finish, because otherwise it never would in short-lived processes.
    func stopUpkeep() {
        let isShort = core.withLock { $0.state.end <= 16 << 20 }
        upkeep.stop(at: .after(isShort ? Self.shortUpkeep : .zero))
    }

    private static let shortUpkeep = Duration.milliseconds(250)

    /// Starts a background compaction if it is worth it. Call it after acknowledging a commit, without the lock.
    func compactIfWorthIt() {
        let isWorthIt = core.withLock { core in
            !core.isClosed && core.state.sequence >= core.nextCompaction && core.state.isWorthCompacting
        }
        guard isWorthIt else { return }
        upkeep.start { [self] isStopped in
            let outcome = compactBehind(isStopped)
            // A compaction that failed would fail again, so the next attempt waits until much more was written.
            core.withLock { $0.nextCompaction = outcome ? 0 : $0.state.sequence + 1000 }
        }
    }

    private func compactBehind(_ isStopped: @escaping @Sendable () -> Bool) -> Bool {
        do throws(StorageError) {
            return try directory.withLock(.compactor, until: .after(.zero)) { () throws(StorageError) in
                // The temporary file of a killed compactor may be as large as the journal.
                directory.removeStaleTemporaries()
                return try Compactor(store: self, isCancelled: isStopped).run(until: { .after(.seconds(10)) })
            }
        } catch {
            return false
        }
    }
}

extension JournalState {
    /// Whether there are enough dead bytes, or enough frames to read at opening, for rewriting the file to pay off.
    var isWorthCompacting: Bool {
        if frameCount > max(1000, generation.index.partitionCount / 10) { return true }
        return deadByteCount > 1 << 20 && deadByteCount > end / 2
    }
}
