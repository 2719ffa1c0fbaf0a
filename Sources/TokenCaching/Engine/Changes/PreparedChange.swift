internal import RecordStorage

/// A change that was made while another process held the writer's lock, out of what the store said then.
struct PreparedChange<Result> {
    private let outlook: CommitOutlook
    private let reads: TransactionReads
    private let batch: PreparedBatch
    /// What the change makes old.
    let changes: StoreChanges
    let result: Result

    /// Runs a change for the transaction that `outlook` promises.
    ///
    /// - Returns: nil where it failed: under the lock it may not, and if it does the error is about the newest state.
    init?(
        _ outlook: CommitOutlook,
        store: any RecordStore,
        codec: RecordCodec,
        recentFacts: RecentFacts?,
        _ body: (inout Transaction) throws(TokenCacheError) -> Result
    ) {
        self.outlook = outlook
        reads = TransactionReads()
        batch = PreparedBatch()
        let context = CommitContext(sequence: outlook.sequence, epoch: outlook.epoch, changes: .none)
        var transaction = Transaction(
            context,
            batch,
            store: store,
            codec: codec,
            recentFacts: recentFacts,
            reads: reads
        )
        guard let result = try? body(&transaction) else { return nil }
        self.result = result
        changes = transaction.changes
    }

    /// Whether the change comes out the same in this transaction: boxes bear its sequence and epoch, and nothing that was
    /// read has changed since.
    func holds(in context: CommitContext) -> Bool {
        context.sequence == outlook.sequence && context.epoch == outlook.epoch
            && context.baseState == outlook.state && !context.changes.concern(reads.partitions)
    }

    /// Puts the operations into the transaction.
    func write(to batch: any BatchWriter) throws(StorageError) {
        try self.batch.write(to: batch)
    }
}
