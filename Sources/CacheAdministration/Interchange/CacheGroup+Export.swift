// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import SystemPackage
public import TokenCaching

extension CacheGroup {
    /// Writes the entries of the group as a document that other libraries can load: the unified JSON of MSAL.
    ///
    /// Entries that were imported and not changed are exported exactly as they were, including unknown fields, sections
    /// and scalars. The document contains tokens in plaintext: choose its destination with care. It shows the group at
    /// one moment, without blocking other processes. If a sign-out or a change of keys erases an entry that is still to
    /// be written, the export starts over, a limited number of times, provided that it can discard what it wrote:
    /// always for a file; otherwise only if nothing was written yet, or only to the end of a regular file.
    ///
    /// - Parameters:
    ///   - target: the destination of the document.
    ///   - options: what to omit, and how to format it.
    ///   - progress: is called with the progress, and can cancel. Progress goes back if the export starts over.
    /// - Returns: what was written. Damaged entries are counted and omitted.
    /// - Throws: `busy` if other processes erased something to be written and the export could not start over; `full`,
    ///   `cancelled`, codes about files and about the store, and errors of a sink. A file is then unchanged.
    @discardableResult
    public func exportEntries(
        to target: ExportTarget,
        options: ExportOptions = ExportOptions(),
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> ExportReport {
        try opened.translating(try write(to: target, options, progress))
    }

    private func write(
        to target: ExportTarget,
        _ options: ExportOptions,
        _ progress: ProgressHandler?
    ) throws(StorageError) -> ExportReport {
        var deadline = newDeadline()
        var store = try opened.snapshot(until: deadline)
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
                progress: progress,
                isDamaged: isDamaged
            )
            do throws(StorageError) {
                return try run.run()
            } catch {
                guard run.wasOvertaken, attemptsLeft > 0, sink.restart() else { throw error }
            }
            deadline = newDeadline()
            let next = try opened.snapshot(until: deadline)
            store.close()
            store = next
        }
    }

    /// Whether a secret that reads as erased is damaged: a newer state has the record too, it reads as erased there, and
    /// nothing was changed in between.
    func isDamaged(_ record: StoredRecord, in partition: PartitionTag) throws(StorageError) -> Bool {
        let deadline = newDeadline()
        let newest = try opened.snapshot(until: deadline)
        defer { newest.close() }
        let contents = try newest.contents(of: partition, until: deadline)
        guard contents.reader.announcesRemovalsFirst,
            let same = contents.records.first(where: { $0.tag == record.tag && $0.sequence == record.sequence })
        else { return false }
        do throws(StorageError) {
            _ = try opened.codec.openSecret(of: same, reader: contents.reader)
            return false
        } catch {
            guard error.code == .tokenGone else { return false }
            return newest.revision.load() == newest.revisionAtOpening
        }
    }

    /// The maximum number of attempts: a process that signs out one account after another may interrupt several.
    private static var exportAttempts: Int { 5 }
}

extension ExportTarget {
    func open() throws(StorageError) -> any ByteSink {
        switch self {
        case .descriptor(let descriptor): DescriptorSink(descriptor)
        case .sink(let body): CallerSink(body)
        case .path(let path): try Self.open(path)
        }
    }

    /// Replaces a regular file as a whole, following a symbolic link; writes directly to devices and pipes.
    private static func open(_ path: String) throws(StorageError) -> any ByteSink {
        guard !path.isEmpty else { throw StorageError(.invalidRequest, detail: "the path names no file") }
        let kind = Environment.kind(ofFileAt: path)
        switch kind {
        case .folder: throw StorageError(.unsafeFile, path: path, detail: "it is a folder")
        case .regular: return try FileSink(FilePath(Environment.resolved(path) ?? path))
        case .missing: return try FileSink(FilePath(path))
        case .other:
            do throws(Errno) {
                return DescriptorSink(try Syscalls.openPath(path, flags: O_WRONLY).rawValue, isOwned: true)
            } catch {
                throw StorageError(.system, path: path, detail: "opening it failed", errno: error)
            }
        }
    }
}
