// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization

extension Engine {
    /// Runs a change as one transaction: `body` derives it from the newest state. `body` holds the writer's lock, so it
    /// must not wait for anything.
    ///
    /// No mutex that lookups need is held during calls to the store, so lookups continue. Changed facts are dropped
    /// before this returns, so the next lookup reads them again. Changes of one engine queue here rather than at the
    /// store: while one of them is about to begin, lookups cache nothing that they read, and that time should be short.
    ///
    /// - Parameters:
    ///   - deadline: when the change must be complete.
    ///   - body: makes the change.
    /// - Returns: the result of `body`.
    /// - Throws: errors of the store and of `body`; in that case nothing is changed.
    func change<Result>(
        until deadline: Deadline,
        _ body: (inout Transaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try checkProcess()
        guard changing.acquire(until: deadline) else {
            throw StorageError(.busy, detail: "another thread of this process is changing the group")
        }
        defer { changing.release() }
        try state.withLock { (state) throws(StorageError) in
            if state.isClosed { throw StorageError(.closed) }
            state.enterCommit()
        }
        var result: Result?
        defer { state.withLock { $0.endCommit() } }
        do throws(StorageError) {
            try store.commit(until: deadline) { (context, batch) throws(StorageError) in
                // `context.changes` is reported only once; record it before any read.
                state.withLock { $0.beginCommit(context.changes) }
                var transaction = Transaction(context, batch, store: store, codec: codec)
                result = try body(&transaction)
                let changes = transaction.changes
                state.withLock { $0.makeChanges(changes) }
            }
        } catch {
            // It is unknown whether the change was made, so no cached state is valid.
            if error.code == .indeterminate { invalidateAll() }
            throw error
        }
        guard let result else { throw StorageError(.system, detail: "the store did not run the transaction") }
        return result
    }
}

extension Transaction {
    /// The partitions that the change makes outdated.
    var changes: StoreChanges {
        removesAll ? .everything : .partitions(touched)
    }
}
