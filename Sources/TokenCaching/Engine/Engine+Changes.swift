internal import RecordStorage
internal import Synchronization

extension Engine {
    /// Makes a change as one transaction: what `body` puts into it follows from the newest state. It runs under the writer's
    /// lock, so it must not wait for anything.
    ///
    /// No mutex that lookups need is held while the store is called: they go on. What `body` changed is forgotten before
    /// this returns, so the next lookup reads it. Changes of one engine queue here rather than at the store: while one of
    /// them is about to begin, lookups keep nothing of what they read, and that time is to be short.
    ///
    /// - Parameters:
    ///   - deadline: by when it is done.
    ///   - body: makes the change.
    /// - Returns: what `body` gives.
    /// - Throws: what the store throws, and what `body` throws; then nothing is changed.
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
            // Told once: noted before anything is read.
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
            // Whether it was done is unknown, so nothing that was known still is.
            if error.code == .indeterminate { invalidateAll() }
            throw TokenCacheError(error)
        }
        guard let result else { throw TokenCacheError(.system, detail: "the store did not run the transaction") }
        return result
    }
}

extension Transaction {
    /// What the change makes old.
    var changes: StoreChanges {
        removesAll ? .everything : .partitions(touched)
    }
}
