// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import TokenCaching

/// Runs an import on two threads: it begins on the caller's, and the part under the writer's lock has its own.
final class ImportJob: @unchecked Sendable {
    // SAFETY: one thread has it at a time: the one that made it, and then the one that commits.
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

    /// Commits the document's entries, once. When this returns, nothing of the import is on the disk except the
    /// transaction.
    ///
    /// - Throws: errors of the document, and of the store. Then nothing was changed.
    func perform(
        until deadline: Deadline,
        progress: ProgressHandler?,
        onProblem: ((ImportProblem) -> Void)?
    ) throws(StorageError) -> ImportReport {
        // For a small document, handlers have already been told everything.
        if isPrepared { return try commit(until: deadline, relay: nil) }
        // No code of the caller runs under the lock: it could wait for the lock itself.
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
