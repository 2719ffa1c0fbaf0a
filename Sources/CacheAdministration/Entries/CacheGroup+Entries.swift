// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
public import TokenCaching
internal import UnifiedSchema

extension CacheGroup {
    /// Passes the entries that match `filter` to `body`, account by account, in a stable order.
    ///
    /// Opens no secret. Only one account is in memory at a time; 100,000 accounts take a few seconds.
    ///
    /// - Parameters:
    ///   - filter: which entries to pass.
    ///   - readingNewest: whether to read the newest state, as of one moment. Otherwise passes the state that the group
    ///     read last, without opening another handle; if another call reads or changes the group in the meantime, later
    ///     entries may be newer than earlier ones.
    ///   - progress: is called with the progress, even while nothing matches, and can cancel.
    ///   - body: is called with each entry.
    /// - Returns: the number of entries that cannot be read, and so could not be matched.
    /// - Throws: `invalidRequest` if the filter's tenant is a URL; `damaged`, `busy`, `closed`, codes about the files or the
    ///   keyring of the group, the errors of `body`; `cancelled`.
    @discardableResult
    public func forEachEntry(
        matching filter: EntryFilter = EntryFilter(),
        readingNewest: Bool = true,
        progress: ProgressHandler? = nil,
        _ body: (EntrySummary) throws(TokenCacheError) -> Void
    ) throws(TokenCacheError) -> Int {
        let time = newTime()
        let deadline = time.deadline
        let snapshot = readingNewest ? try opened.translating(try opened.snapshot(until: deadline)) : nil
        defer { snapshot?.close() }
        let store = snapshot ?? opened.store
        var listing = EntryListing(store, codec: opened.codec, filter: filter)
        let partitions = try opened.translating(try listing.partitions(until: deadline))
        var meter = progress.map { ProgressMeter($0, phase: .reading, totalBytes: nil) }
        for partition in partitions {
            let found = try opened.translating(try listing.entries(of: partition, until: time.deadline))
            let account = found.isOfAccount ? AccountHandle(partition) : nil
            for entry in found.entries {
                try body(entry.summary(account: account, username: found.username))
            }
            try opened.translating(try meter?.note(completedBytes: 0, entryCount: listing.readCount))
            // The time that the caller takes between two accounts does not count.
            time.restart()
        }
        return listing.unreadableCount
    }

    /// Finds an entry by its handle.
    ///
    /// - Parameter handle: the handle, as in `EntrySummary.handle`.
    /// - Returns: the entry in full. Its secret stays sealed.
    /// - Throws: `notFound`.
    public func entry(_ handle: EntryHandle) throws(TokenCacheError) -> EntryDetail {
        try entry(handle.description)
    }

    /// Finds an entry by the digits of its handle, as users type them.
    ///
    /// - Parameter handle: the digits of `EntrySummary.handle`, or at least the first four of them, in any case.
    /// - Returns: the entry in full. Its secret stays sealed.
    /// - Throws: `notFound`; `invalidRequest` if several handles begin with these digits, or if there are fewer than
    ///   four.
    public func entry(_ handle: String) throws(TokenCacheError) -> EntryDetail {
        try opened.translating(try find(handle.lowercased(), until: newDeadline()))
    }

    private func find(_ prefix: String, until deadline: Deadline) throws(StorageError) -> EntryDetail {
        guard prefix.utf8.count >= 4, Hexadecimal.isDigits(prefix) else {
            throw StorageError(.invalidRequest, detail: "a handle needs at least four hexadecimal digits")
        }
        let store = try opened.snapshot(until: deadline)
        defer { store.close() }
        var found: (tag: RecordTag, partition: PartitionTag)?
        for (partition, _) in try store.partitionsToRead(until: deadline) {
            for record in try store.contents(of: partition, until: deadline).records
            where !record.kind.isInternalRecord && EntryHandle(record.tag).description.hasPrefix(prefix) {
                guard found == nil else {
                    throw StorageError(
                        .invalidRequest,
                        detail: "the handles of several entries begin with these digits"
                    )
                }
                found = (record.tag, partition)
            }
        }
        guard let found else { throw StorageError(.notFound, detail: "no entry has this handle") }
        var listing = EntryListing(store, codec: opened.codec, filter: EntryFilter())
        let account = try listing.entries(of: found.partition, until: deadline)
        guard let entry = account.entries.first(where: { $0.record.tag == found.tag }) else {
            throw StorageError(.damaged, detail: "the entry cannot be read")
        }
        let handle = account.isOfAccount ? AccountHandle(found.partition) : nil
        let summary = entry.summary(account: handle, username: account.username)
        return EntryDetail(entry, summary: summary, codec: opened.codec)
    }
}
