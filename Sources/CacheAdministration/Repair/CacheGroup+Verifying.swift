internal import FileStorage
internal import RecordStorage
internal import SecretServiceStorage
public import TokenCaching

extension CacheGroup {
    /// Reads and opens everything in the group and compares it with what vouches for it. Changes nothing.
    ///
    /// - Parameter progress: hears how far it has come, and can cancel it.
    /// - Returns: what was found. Damage behind the head of the file does not make this throw.
    /// - Throws: ``TokenCacheError/Code/cancelled``, and what keeps the group from being read at all.
    public func verify(progress: ProgressHandler? = nil) throws(TokenCacheError) -> VerificationSummary {
        try storing { () throws(StorageError) in try opened.checkProcess() }
        let deadline = newDeadline()
        var summary = VerificationSummary()
        if let fileStore = opened.fileStore {
            var isCancelled = false
            do throws(StorageError) {
                let report = try fileStore.verify(until: deadline) { done, total in
                    let progress = progress?(
                        OperationProgress(phase: .reading, completedBytes: done, totalBytes: total, entryCount: 0)
                    )
                    isCancelled = progress == .cancel || Task.isCancelled
                    return !isCancelled
                }
                summary.findings = report.findings.map { VerificationSummary.Finding($0) }
                summary.byteCount = report.byteCount
            } catch {
                throw isCancelled ? TokenCacheError(.cancelled) : TokenCacheError(error)
            }
        }
        let store = try storing { () throws(StorageError) in try opened.snapshot(until: deadline) }
        defer { store.close() }
        if let keyringStore = store as? SecretServiceStore {
            let report = try storing { () throws(StorageError) in try keyringStore.examine(until: deadline) }
            // Where there is no list, everything that is there can be sound all the same.
            summary.findings = report.findings.filter { $0.kind != .unlisted }.map { VerificationSummary.Finding($0) }
            summary.byteCount = report.byteCount
            var boxes = BoxVerification(codec: opened.codec, summary: summary, progress: progress)
            return try boxes.run(report.partitions)
        }
        var boxes = BoxVerification(codec: opened.codec, summary: summary, progress: progress)
        return try boxes.run(store, until: deadline)
    }

    /// Writes the records that are in use to a new file and drops the rest. Happens by itself as needed. Others can read
    /// and write meanwhile.
    ///
    /// - Throws: ``TokenCacheError/Code/busy`` where somebody is at it, ``TokenCacheError/Code/full``,
    ///   ``TokenCacheError/Code/readOnly``.
    public func compact() throws(TokenCacheError) {
        guard let fileStore = opened.fileStore else { return }
        try storing { () throws(StorageError) in
            try opened.checkProcess()
            try fileStore.compact(until: newDeadline())
        }
    }
}

extension VerificationSummary.Finding {
    init(_ finding: JournalFinding) {
        self.init(
            description: finding.description,
            entryHandle: finding.record.map { EntryHandle($0).description },
            accountHandle: finding.partition.map { AccountHandle($0).description },
            isDamage: finding.isDamage
        )
    }
}
