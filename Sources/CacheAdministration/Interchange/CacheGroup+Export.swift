internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage
public import TokenCaching

extension CacheGroup {
    /// Writes the entries of the group as a document that other libraries load: the unified JSON of MSAL.
    ///
    /// What was imported and not changed comes out exactly as it was, unknown fields, sections and scalars included. The
    /// document holds tokens in plaintext: mind where it goes. It shows the group as of one moment, and nobody has to
    /// wait meanwhile. Where a sign-out or new keys erase what it still has to write, it begins anew, a few times, if what
    /// was written can be taken back: always with a file, with anything else as long as nothing but the end of a regular
    /// file was written to.
    ///
    /// - Parameters:
    ///   - target: where the document goes.
    ///   - options: what is left out, and how it looks.
    ///   - progress: hears how far it has come, and can cancel it. It goes back where the export begins anew.
    /// - Returns: what was written. Damaged entries are counted and left out.
    /// - Throws: `busy` where others erased what was to be written and it could not begin anew;
    ///   `full`, `cancelled`, codes about files and about the
    ///   store, and what a sink throws. A file is then as it was before.
    public func exportEntries(
        to target: ExportTarget,
        options: ExportOptions = ExportOptions(),
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> ExportReport {
        var deadline = newDeadline()
        var store = try storing { () throws(StorageError) in try opened.snapshot(until: deadline) }
        defer { store.close() }
        let sink = try target.open()
        var attemptsLeft = Self.exportAttempts
        while true {
            attemptsLeft -= 1
            var run = try ExportRun(
                store: store,
                codec: opened.codec,
                sink: sink,
                options: options,
                until: deadline,
                timeout: timeout,
                progress: progress
            )
            do throws(TokenCacheError) {
                return try run.run()
            } catch {
                guard run.wasOvertaken, attemptsLeft > 0, sink.restart() else { throw error }
            }
            deadline = newDeadline()
            let next = try storing { () throws(StorageError) in try opened.snapshot(until: deadline) }
            store.close()
            store = next
        }
    }

    /// How often an export begins before it gives up: who signs accounts out one after the other overtakes it again.
    private static var exportAttempts: Int { 5 }
}

extension ExportTarget {
    func open() throws(TokenCacheError) -> any ByteSink {
        switch self {
        case .descriptor(let descriptor): DescriptorSink(descriptor)
        case .sink(let body): CallerSink(body)
        case .path(let path): try Self.open(path)
        }
    }

    /// A regular file is replaced as a whole, where a link leads to it; devices and pipes are written into.
    private static func open(_ path: String) throws(TokenCacheError) -> any ByteSink {
        guard !path.isEmpty else { throw TokenCacheError(.invalidRequest, detail: "the path names no file") }
        let kind = Environment.kind(ofFileAt: path)
        switch kind {
        case .folder: throw TokenCacheError(.unsafeFile, detail: "it is a folder", path: path)
        case .regular: return try FileSink(FilePath(Environment.resolved(path) ?? path))
        case .missing: return try FileSink(FilePath(path))
        case .other:
            let result = Result { try FileDescriptor.open(FilePath(path), .writeOnly, options: .closeOnExec) }
            switch result {
            case .success(let file): return DescriptorSink(file.rawValue, isOwned: true)
            case .failure(let error):
                throw TokenCacheError(.system, detail: "opening it failed", path: path, errno: error as? Errno)
            }
        }
    }
}
