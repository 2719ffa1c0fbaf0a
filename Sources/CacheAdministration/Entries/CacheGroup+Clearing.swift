// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Removes the entries that match `filter`, in one transaction, and overwrites their secrets in the group's file.
    ///
    /// An access token without a home account id that only matching entries show to be a person's goes with them.
    ///
    /// An access token in its extended lifetime has not expired here, as for saves. A filter that names only an account
    /// removes everything of that account and signs every client out of it. Needs
    /// no space on the disk, unless overwriting does: on btrfs, other copy-on-write file systems, and files with shared
    /// blocks.
    ///
    /// - Parameters:
    ///   - filter: which entries to remove.
    ///   - isDryRun: whether to change nothing, and only report what would be removed.
    ///   - progress: is called with the number of entries found, and can cancel before anything is removed.
    /// - Returns: what was removed, and the number of entries that could not be matched.
    /// - Throws: `invalidRequest` for a filter without conditions, which would match everything (see
    ///   ``clearAll(isDryRun:progress:)``), and for a tenant that is a URL; `busy`, `readOnly`, `full`,
    ///   `indeterminate`, `cancelled`.
    @discardableResult
    public func clear(
        matching filter: EntryFilter,
        isDryRun: Bool = false,
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> ClearReport {
        if filter.isEmpty {
            throw TokenCacheError(
                StorageError(.invalidRequest, detail: "the filter has no conditions: clearAll removes everything")
            )
        }
        return try removeEntries(matching: filter, isDryRun: isDryRun, progress: progress)
    }

    /// Removes everything of every application and account in one transaction, overwrites the secrets, empties the
    /// quarantine, and changes the keys of a group with key slots, as ``rekey(options:progress:)`` does: what the
    /// disk keeps of older states then no longer opens with them. May ask for a passphrase again.
    ///
    /// - Parameters:
    ///   - isDryRun: whether to change nothing, and only report what would be removed.
    ///   - progress: is called with the number of entries found, and can cancel before anything is removed.
    /// - Returns: what was removed, and why the keys stayed, if they did.
    /// - Throws: `busy`, `readOnly`, `full`, `indeterminate`, `cancelled`.
    @discardableResult
    public func clearAll(
        isDryRun: Bool = false,
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> ClearReport {
        var report = try removeEntries(matching: EntryFilter(), isDryRun: isDryRun, progress: progress)
        if isDryRun || !hasKeySlots { return report }
        do throws(TokenCacheError) {
            report.keptKeyFiles = try rekey().keptKeyFiles
        } catch {
            // The group is empty all the same.
            report.keyChangeFailure = error
        }
        return report
    }

    private func removeEntries(
        matching filter: EntryFilter,
        isDryRun: Bool,
        progress: ProgressHandler?
    ) throws(TokenCacheError) -> ClearReport {
        try cancellable { () throws(StorageError) in
            let time = newTime()
            let store = try opened.snapshot(until: time.deadline)
            defer { store.close() }
            let clearing = try clearing(filter)
            let begun = SuspendingClock.now
            var meter = ProgressMeter(progress, phase: .reading, totalBytes: nil)
            let plan = try clearing.plan(store, until: time.deadline, &meter)
            noteReading(since: begun, time)
            var report = plan.report
            if isDryRun { return report }
            let deadline = time.deadline
            try store.commit(until: deadline) { (context, batch) throws(StorageError) in
                var transaction = Transaction(context, batch, store: store, codec: opened.codec)
                if filter.isEmpty {
                    // No handler is called while the lock is held.
                    var silent = ProgressMeter(nil, phase: .reading, totalBytes: nil)
                    if context.changes != .none { report = try clearing.plan(store, until: deadline, &silent).report }
                    try clearing.removeAll(&transaction)
                    return
                }
                // The plan was made without the lock: search only its partitions and those that changed since.
                let candidates: Set<PartitionTag>? =
                    switch context.changes {
                    case .none: plan.partitions
                    case .partitions(let changed): plan.partitions.union(changed)
                    case .everything: nil
                    }
                report = try clearing.remove(&transaction, store: store, candidates: candidates)
                if candidates != nil { report.unreachableCount = plan.report.unreachableCount }
            }
            if filter.isEmpty { try emptyQuarantine() }
            return report
        }
    }

    /// Deletes the quarantined files; an error says that the group itself is already empty.
    private func emptyQuarantine() throws(StorageError) {
        do throws(StorageError) {
            try opened.directory?.emptyQuarantine()
        } catch {
            let detail = "the group is empty now, but some quarantined files could not be deleted"
            throw StorageError(
                error.code,
                path: error.path,
                detail: [detail, error.detail].compactMap(\.self).joined(separator: ": "),
                errno: error.errno
            )
        }
    }

    private func cancellable<Result>(
        _ body: () throws(StorageError) -> Result
    ) throws(TokenCacheError) -> Result {
        do throws(StorageError) {
            return try body()
        } catch {
            throw error.code == .cancelled ? TokenCacheError(.cancelled) : TokenCacheError(opened.cause(of: error))
        }
    }

    private func clearing(_ filter: EntryFilter) throws(StorageError) -> Clearing {
        Clearing(
            codec: opened.codec,
            filter: filter,
            now: WallClock.system.now().secondsSince1970,
            group: try opened.codec.groupPartition()
        )
    }
}
