internal import RecordStorage
internal import Synchronization

extension Engine {
    /// Makes a change as one transaction: what `body` puts into it follows from the newest state. It runs under the writer's
    /// lock, so it must not wait for anything.
    ///
    /// No mutex of the engine is held while the store is called: lookups go on. What `body` changed is forgotten before
    /// this returns, so the next lookup reads it.
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
        try state.withLock { (state) throws(TokenCacheError) in
            if state.isClosed { throw TokenCacheError(.closed) }
            state.beginCommit()
        }
        var touched = StoreChanges.none
        var result: Result?
        var refusal: TokenCacheError?
        let make = { [self] (context: CommitContext, batch: any BatchWriter) throws(StorageError) in
            // Told once: noted before anything is read.
            state.withLock { $0.note(context.changes) }
            var transaction = Transaction(context, batch, store: store, codec: codec, recentFacts: recentFacts)
            do throws(TokenCacheError) {
                result = try body(&transaction)
            } catch {
                refusal = error
                throw StorageError(.abandoned)
            }
            touched = transaction.changes
        }
        defer { state.withLock { $0.endCommit(touched) } }
        do throws(StorageError) {
            try store.commit(until: deadline, make)
        } catch {
            if let refusal { throw refusal }
            // Whether it was done is unknown, so nothing that was known still is.
            if error.code == .indeterminate { disturb() }
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
