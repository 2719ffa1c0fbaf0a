internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Reads and opens everything in the group and compares it with what vouches for it. Changes nothing.
    ///
    /// - Parameter progress: hears how far it has come, and can cancel it.
    /// - Returns: what was found. Damage behind the head of the file does not make this throw.
    /// - Throws: `cancelled`, and what keeps the group from being read at all.
    public func verify(progress: ProgressHandler? = nil) throws(TokenCacheError) -> VerificationSummary {
        let deadline = newDeadline()
        let store = try storing { () throws(StorageError) in try opened.snapshot(until: deadline) }
        defer { store.close() }
        var isCancelled = false
        let examination: StoreExamination
        do throws(StorageError) {
            examination = try store.examine(until: deadline) { completed, total in
                let progress = progress?(
                    OperationProgress(phase: .reading, completedBytes: completed, totalBytes: total, entryCount: 0)
                )
                isCancelled = progress == .cancel || Task.isCancelled
                return !isCancelled
            }
        } catch {
            throw isCancelled ? TokenCacheError(.cancelled) : TokenCacheError(error)
        }
        var summary = VerificationSummary()
        summary.findings = examination.findings.map { VerificationSummary.Finding($0) }
        summary.byteCount = examination.byteCount
        var boxes = BoxVerification(codec: opened.codec, summary: summary, progress: progress)
        if let partitions = examination.partitions { return try boxes.run(partitions) }
        return try boxes.run(store, until: deadline)
    }

    /// Writes the file of the group anew without what is dead in it. Happens by itself as needed. Others can read and write
    /// meanwhile.
    ///
    /// - Returns: whether the group has such a file; one in the keyring or in memory has none, and nothing to be compacted.
    /// - Throws: `busy` where somebody is at it, `full`, `readOnly`.
    @discardableResult
    public func compact() throws(TokenCacheError) -> Bool {
        guard let file = opened.store.fileBacked else { return false }
        try storing { () throws(StorageError) in
            try opened.checkProcess()
            try file.compact(until: newDeadline())
        }
        return true
    }
}

extension VerificationSummary.Finding {
    init(_ finding: StoreExamination.Finding) {
        self.init(
            description: finding.description,
            entryHandle: finding.record.map { EntryHandle($0).description },
            accountHandle: finding.partition.map { AccountHandle($0).description },
            isDamage: finding.isDamage
        )
    }
}
