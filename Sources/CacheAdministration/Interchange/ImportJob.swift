internal import GroupDirectory
internal import RecordStorage
internal import TokenCaching

/// An import on its way through threads: it begins on the caller's, and what holds the writer's lock has one of its own.
final class ImportJob: @unchecked Sendable {
    // SAFETY: one thread has it at a time: the one that made it, and then the one that commits.
    private var run: ImportRun?
    private let store: any RecordStore
    private let isPrepared: Bool

    /// Reads the document, if it is small enough.
    ///
    /// - Parameters:
    ///   - run: the import, at its beginning.
    ///   - store: where it goes.
    ///   - directory: the folder of the group, where it has one.
    /// - Throws: what is wrong with the document or its source.
    init(_ run: consuming ImportRun, store: any RecordStore, directory: GroupDirectory?) throws(TokenCacheError) {
        var run = run
        try run.prepare(in: directory)
        isPrepared = run.isPrepared
        self.run = consume run
        self.store = store
    }

    /// Commits what the document brings, once. When this returns, nothing of the import is on the disk but the
    /// transaction.
    ///
    /// - Throws: what is wrong with the document, and what the store throws. Then nothing was changed.
    func perform(
        until deadline: Deadline,
        progress: ProgressHandler?,
        onProblem: ((ImportProblem) -> Void)?
    ) throws(TokenCacheError) -> ImportReport {
        // All that handlers are told of a small document they know already.
        if isPrepared { return try commit(until: deadline, telling: nil) }
        // Under the lock nobody of the caller's is asked anything: that could wait for the lock itself.
        return try CallbackRelay.run(progress: progress, onProblem: onProblem) { relay throws(TokenCacheError) in
            try self.commit(until: deadline, telling: relay)
        }
    }

    private func commit(until deadline: Deadline, telling relay: CallbackRelay?) throws(TokenCacheError) -> ImportReport
    {
        guard var run = run.take() else { return ImportReport() }
        if let relay { run.pass(to: relay) }
        var failure: TokenCacheError?
        do throws(StorageError) {
            try store.commit(until: deadline) { (context, batch) throws(StorageError) in
                try run.put(into: batch, context: context, failure: &failure)
            }
        } catch {
            throw failure ?? TokenCacheError(error)
        }
        return run.report
    }
}
