// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Reads, opens and verifies everything in the group. Changes nothing.
    ///
    /// - Parameter progress: is called with the progress, and can cancel.
    /// - Returns: the findings. It does not throw for damage after the head of the file.
    /// - Throws: `cancelled`, and errors that prevent reading the group at all.
    public func verify(progress: ProgressHandler? = nil) throws(TokenCacheError) -> VerificationReport {
        try opened.translating(try examine(progress))
    }

    private func examine(_ progress: ProgressHandler?) throws(StorageError) -> VerificationReport {
        let deadline = newDeadline()
        let store = try opened.snapshot(until: deadline)
        defer { store.close() }
        let examination = try store.examine(until: deadline) { completed, total in
            let progress = progress?(
                OperationProgress(phase: .reading, completedBytes: completed, totalBytes: total, entryCount: 0)
            )
            return progress != .cancel && !Task.isCancelled
        }
        var summary = VerificationReport()
        summary.findings = examination.findings.map { VerificationReport.Finding($0) }
        summary.byteCount = examination.byteCount
        var boxes = BoxVerification(codec: opened.codec, summary: summary, progress: progress)
        if let partitions = examination.partitions { return try boxes.run(partitions) }
        return try boxes.run(store, in: store.fileBacked, until: deadline)
    }

    /// Opens the first records, in the store's order, which is arbitrary. Changes nothing.
    ///
    /// - Parameters:
    ///   - byteCount: the number of bytes of records after which to stop.
    ///   - progress: is called with the progress, and can cancel.
    /// - Returns: the findings, and the total number of records.
    /// - Throws: `cancelled`, `damaged` if a list of records is damaged, and errors that prevent reading the group at
    ///   all.
    func verifyPart(
        byteCount: UInt64,
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> (summary: VerificationReport, recordCount: Int) {
        try opened.translating(try openPart(byteCount, progress))
    }

    private func openPart(
        _ byteCount: UInt64,
        _ progress: ProgressHandler?
    ) throws(StorageError) -> (summary: VerificationReport, recordCount: Int) {
        let deadline = newDeadline()
        let store = try opened.snapshot(until: deadline)
        defer { store.close() }
        let recordCount = try store.partitionsToRead(until: deadline).reduce(0) { $0 + $1.recordCount }
        var boxes = BoxVerification(codec: opened.codec, summary: VerificationReport(), progress: progress)
        return (
            try boxes.run(store, in: store.fileBacked, until: deadline, byteCount: Int(clamping: byteCount)),
            recordCount
        )
    }

    /// Rewrites the file of the group without its dead bytes. The library does so automatically as needed. Other
    /// processes can read and write meanwhile.
    ///
    /// - Returns: whether the group has such a file. A group in the keyring or in memory has none, and nothing to
    ///   compact.
    /// - Throws: `busy` if another process is already compacting, `full`, `readOnly`.
    @discardableResult
    public func compact() throws(TokenCacheError) -> Bool {
        try opened.translating(try compactFile())
    }

    private func compactFile() throws(StorageError) -> Bool {
        guard let file = opened.store.fileBacked else { return false }
        try opened.checkProcess()
        try file.compact(until: newDeadline())
        return true
    }
}

extension VerificationReport.Finding {
    init(_ finding: StoreExamination.Finding) {
        self.init(
            description: finding.description,
            entryHandle: finding.record.map(EntryHandle.init),
            accountHandle: finding.partition.map(AccountHandle.init),
            isDamage: finding.isDamage
        )
    }
}
