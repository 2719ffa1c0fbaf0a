internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Takes in the entries of a document that another library wrote: the unified JSON of MSAL, or the array of ADAL.
    ///
    /// It is one transaction: all of it or nothing, also if the process is killed meanwhile. What is there already is
    /// not written again; an older entry never takes the place of a newer one, and where nothing tells which one is
    /// newer, the one that is there stays; so does an access or refresh token under another key. What a client signed
    /// out of stays out, also where it cannot be read any more whether it did.
    ///
    /// The group can be read all the time. Up to 4 MiB, others wait for the lock no longer than sealing the new entries
    /// takes; a larger document keeps writers out while it is read (some 20 µs an entry). Both handlers run on the
    /// calling thread and never while it holds the lock: they may use the group themselves, and a slow one keeps nobody
    /// waiting but the caller.
    ///
    /// - Parameters:
    ///   - source: the document.
    ///   - options: limits, and whether bad entries are skipped and newer ones replaced.
    ///   - onProblem: hears of every entry that cannot be kept, in the order of the document.
    ///   - progress: hears how far it has come, and can cancel it. What it answers to
    ///     ``OperationProgress/Phase/finishing`` may come too late; then the import is done.
    /// - Returns: what became of the entries.
    /// - Throws: `notFound` where there is no such file or item;
    ///   `keyringMissing`, `keyringLocked` and other errors of the keyring
    ///   for ``ImportSource/keyring(_:)``; `malformedDocument` where the document is no JSON, or an entry is bad and
    ///   ``ImportOptions/skipsBadEntries`` is not set; `tooLarge` beyond a limit;
    ///   `cancelled`; `busy`, `readOnly`,
    ///   `full` and what else a store meets. In every case nothing was changed.
    public func importEntries(
        from source: ImportSource,
        options: ImportOptions = ImportOptions(),
        onProblem: ((ImportProblem) -> Void)? = nil,
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> ImportReport {
        if let readOnlyReason { throw readOnlyReason }
        let time = newTime()
        let source = try source.open(within: timeout)
        let meter = ProgressMeter(progress, phase: .reading, totalBytes: source.totalByteCount)
        let store = try storing { () throws(StorageError) in try opened.snapshot(until: time.deadline) }
        defer { store.close() }
        let now = WallClock.system.now().secondsSince1970
        let clouds = try storing { () throws(StorageError) in
            try opened.codec.clouds(in: store, at: now, until: time.deadline)
        }
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
        // Reading the document is not on the store's time.
        time.extend(by: SuspendingClock.now - begun)
        return try job.perform(until: time.deadline, progress: progress, onProblem: onProblem)
    }
}

extension ImportSource {
    func open(within timeout: Duration) throws(TokenCacheError) -> any ByteSource {
        switch self {
        case .path(let path): try DescriptorSource(path: path)
        case .descriptor(let descriptor): try DescriptorSource(descriptor: descriptor)
        case .bytes(let bytes): BytesSource(bytes)
        case .keyring(let item): try item.open(within: timeout)
        }
    }
}
