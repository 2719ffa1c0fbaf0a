// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import TokenCaching

/// Runs an import. It begins on the caller's thread; a document too large to prepare is read and committed on another.
final class ImportJob: @unchecked Sendable {
    // SAFETY: only one thread has it at a time: first the one that created it, then the one that commits.
    private var run: ImportRun?
    private let store: any RecordStore
    private let isPrepared: Bool

    /// Reads the document, if it is small enough.
    ///
    /// - Parameters:
    ///   - run: the import, at its beginning.
    ///   - store: the destination.
    ///   - directory: the folder of the group, if it has one.
    /// - Throws: errors of the document or its source.
    init(_ run: consuming ImportRun, store: any RecordStore, directory: GroupDirectory?) throws(StorageError) {
        var run = run
        try run.prepare(in: directory)
        isPrepared = run.isPrepared
        self.run = consume run
        self.store = store
    }

    /// Commits the document's entries, once. When this returns, only the transaction is on the disk.
    ///
    /// - Throws: errors of the document and of the store. Nothing is changed if it throws.
    func perform(
        until deadline: Deadline,
        progress: ProgressHandler?,
        onProblem: ((ImportProblem) -> Void)?
    ) throws(StorageError) -> ImportReport {
        // For a small document, the handlers have already received everything.
        if isPrepared { return try commit(until: deadline, relay: nil) }
        // The caller's code never runs under the lock, because it could itself wait for the lock.
        return try CallbackRelay.run(progress: progress, onProblem: onProblem) { relay throws(StorageError) in
            try self.commit(until: deadline, relay: relay)
        }
    }

    private func commit(until deadline: Deadline, relay: CallbackRelay?) throws(StorageError) -> ImportReport {
        guard var run = run.take() else { return ImportReport() }
        if let relay { run.pass(to: relay) }
        try store.commit(until: deadline) { (context, batch) throws(StorageError) in
            try run.put(into: batch, context: context)
        }
        return run.report
    }
}
