// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Imports the entries of a document that another library wrote: the unified JSON of MSAL, or the array of ADAL.
    ///
    /// The import is one transaction: all or nothing, even if the process is killed. Identical entries are not written
    /// again. An older entry never replaces a newer one, and if it is unknown which is newer, the existing one stays;
    /// the same holds for an access or refresh token under another key. A client that signed out of an account stays
    /// signed out, as does one whose sign-in state cannot be read.
    ///
    /// The group can be read throughout. For documents of up to 4 MiB, other writers wait only while the new entries
    /// are sealed; a larger document blocks them while it is read (some 20 µs per entry). Both handlers run on the
    /// calling thread, and never while it holds the lock: they may use the group themselves, and a slow one delays only
    /// the caller.
    ///
    /// - Parameters:
    ///   - source: the document.
    ///   - options: limits, and whether to skip bad entries and to replace newer ones.
    ///   - onProblem: is called for every entry that cannot be kept, in document order.
    ///   - progress: is passed the progress, and can cancel. A cancellation in ``OperationProgress/Phase/finishing``
    ///     may come too late; then the import is done.
    /// - Returns: what was done with the entries.
    /// - Throws: `notFound` if there is no such file or item; `keyringMissing`, `keyringLocked` and other errors of the
    ///   keyring for ``ImportSource/keyring(_:)``; `malformedDocument` if the document is not JSON, or an entry is bad
    ///   and ``ImportOptions/skipsBadEntries`` is not set; `tooLarge` beyond a limit; `cancelled`; `busy`, `readOnly`,
    ///   `full` and other errors of a store. Nothing is changed if it throws.
    @discardableResult
    public func importEntries(
        from source: ImportSource,
        options: ImportOptions = ImportOptions(),
        onProblem: ((ImportProblem) -> Void)? = nil,
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> ImportReport {
        try opened.translating(try take(from: source, options: options, onProblem: onProblem, progress: progress))
    }

    private func take(
        from source: ImportSource,
        options: ImportOptions,
        onProblem: ((ImportProblem) -> Void)?,
        progress: ProgressHandler?
    ) throws(StorageError) -> ImportReport {
        if let reason = opened.store.readOnlyReason { throw reason }
        let time = newTime()
        let source = try source.open(within: timeout)
        let meter = ProgressMeter(progress, phase: .reading, totalBytes: source.totalByteCount)
        let store = try opened.snapshot(until: time.deadline)
        defer { store.close() }
        let now = WallClock.system.now().secondsSince1970
        let clouds = try opened.codec.clouds(in: store, at: now, until: time.deadline)
        let merge = ImportMerge(
            store: store,
            codec: opened.codec,
            clouds: clouds,
            replacesNewer: options.replacesNewer,
            now: now
        )
        let begun = SuspendingClock.now
        let job = try ImportJob(
            ImportRun(
                source,
                merge: merge,
                codec: opened.codec,
                options: options,
                onProblem: onProblem,
                meter: meter
            ),
            store: store,
            directory: opened.directory
        )
        // Reading the document does not count as waiting.
        time.extend(by: SuspendingClock.now - begun)
        return try job.perform(until: time.deadline, progress: progress, onProblem: onProblem)
    }
}

extension ImportSource {
    func open(within timeout: Duration) throws(StorageError) -> any ByteSource {
        switch self {
        case .path(let path): try DescriptorSource(path: path)
        case .descriptor(let descriptor): try DescriptorSource(descriptor: descriptor)
        case .bytes(let bytes): BytesSource(bytes)
        case .keyring(let item): try item.open(within: timeout)
        }
    }
}
