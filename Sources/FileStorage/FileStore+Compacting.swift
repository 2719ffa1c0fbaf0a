// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage
internal import Synchronization

extension FileStore {
    /// Rewrites the journal without its dead bytes while other processes keep reading and writing.
    ///
    /// - Throws: ``StorageError/Code/busy`` if another thread or process is already compacting.
    package func compact(until deadline: Deadline) throws(StorageError) {
        if let readOnlyReason { throw readOnlyReason }
        let timeLeft = max(deadline.remaining, .zero)
        try absorb(until: deadline) { _ in }
        try directory.withLock(.compactor, until: deadline) { () throws(StorageError) in
            directory.removeStaleTemporaries()
            let compactor = Compactor(store: self) { [self] in core.withLock { $0.isClosed } }
            // Copying has no time limit. If it outlasts the deadline, the wait for the lock still gets the full
            // timeout.
            let lockDeadline = { deadline.hasPassed ? .after(timeLeft) : deadline }
            for _ in 0..<4 where try compactor.run(until: lockDeadline) { return }
            throw StorageError(
                .busy,
                path: directory.path(of: JournalFormat.fileName),
                detail: "the journal was replaced repeatedly during the call"
            )
        }
    }

    /// Starts no background compaction from now on: the program calls ``compactIfWorthIt(until:)`` instead.
    package func compactOnlyOnRequest() {
        core.withLock { $0.nextCompaction = .max }
    }

    /// Compacts on the calling thread if it would pay off.
    package func compactIfWorthIt(until deadline: Deadline) throws(StorageError) {
        try absorb(until: deadline) { _ in }
        if core.withLock({ $0.state.isWorthCompacting }) { try compact(until: deadline) }
    }

    /// Waits for background work to end. Used by tests and by an orderly shutdown.
    package func waitForUpkeep() {
        upkeep.wait()
    }

    /// Ends background work. A compaction stops at its next record and its work is lost; compacting a small journal
    /// gets a moment to finish, because short-lived processes would otherwise never complete one.
    func stopUpkeep() {
        let isShort = core.withLock { $0.state.end <= 16 << 20 }
        upkeep.stop(at: .after(isShort ? Self.shortUpkeep : .zero))
    }

    private static let shortUpkeep = Duration.milliseconds(250)

    /// Starts a background compaction if it would pay off. Call it after a commit, once the lock is released.
    func compactIfWorthIt() {
        let isWorthIt = core.withLock { core in
            !core.isClosed && core.state.sequence >= core.nextCompaction && core.state.isWorthCompacting
        }
        guard isWorthIt else { return }
        upkeep.start { [self] isStopped in
            let outcome = compactInBackground(isStopped)
            // A failed compaction would likely fail again, so wait for 1000 more transactions before retrying.
            core.withLock { $0.nextCompaction = outcome ? 0 : $0.state.sequence + 1000 }
        }
    }

    private func compactInBackground(_ isStopped: @escaping @Sendable () -> Bool) -> Bool {
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
    /// Whether the dead bytes, or the frames to read at opening, are numerous enough for a rewrite to pay off.
    var isWorthCompacting: Bool {
        if frameCount > max(1000, generation.index.partitionCount / 10) { return true }
        return deadByteCount > 1 << 20 && deadByteCount > end / 2
    }
}
