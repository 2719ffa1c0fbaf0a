internal import RecordStorage
internal import Synchronization

extension Engine {
    /// Runs a change as one transaction: `body` derives it from the newest state. `body` runs under the writer's lock,
    /// so it must not wait for anything.
    ///
    /// No mutex that lookups need is held while the store is called, so they continue. Changed facts are dropped before
    /// this returns, so the next lookup reads them. Changes of one engine queue here rather than at the store: while
    /// one of them is about to begin, lookups cache nothing of what they read, and that time should be short.
    ///
    /// - Parameters:
    ///   - deadline: when the change must be done.
    ///   - body: makes the change.
    /// - Returns: the result of `body`.
    /// - Throws: errors of the store and of `body`; then nothing is changed.
    func change<Result>(
        until deadline: Deadline,
        _ body: (inout Transaction) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        try checkProcess()
        guard changing.acquire(until: deadline) else {
            throw TokenCacheError(.busy, detail: "another thread of this process is changing the group")
        }
        defer { changing.release() }
        try state.withLock { (state) throws(TokenCacheError) in
            if state.isClosed { throw TokenCacheError(.closed) }
            state.enterCommit()
        }
        var result: Result?
        var refusal: TokenCacheError?
        let make = { [self] (context: CommitContext, batch: any BatchWriter) throws(StorageError) in
            // `context.changes` is reported only once; record it before any read.
            state.withLock { $0.beginCommit(context.changes) }
            var transaction = Transaction(context, batch, store: store, codec: codec)
            do throws(TokenCacheError) {
                result = try body(&transaction)
            } catch {
                refusal = error
                throw StorageError(.abandoned)
            }
            let changes = transaction.changes
            state.withLock { $0.makeChanges(changes) }
        }
        defer { state.withLock { $0.endCommit() } }
        do throws(StorageError) {
            try store.commit(until: deadline, make)
        } catch {
            if let refusal { throw refusal }
            // It is unknown whether the change was made, so nothing cached is valid.
            if error.code == .indeterminate { invalidateAll() }
            throw TokenCacheError(error)
        }
        guard let result else { throw TokenCacheError(.system, detail: "the store did not run the transaction") }
        return result
    }
}

extension Transaction {
    /// The partitions that the change makes outdated.
    var changes: StoreChanges {
        removesAll ? .everything : .partitions(touched)
    }
}
