// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
public import TokenCaching

/// Reads caches of other libraries into memory, to list and inspect their entries and to look up tokens in them.
///
/// Nothing is written to a disk, a keyring or the caches themselves. Uses a few kilobytes of memory for each entry.
///
/// ```swift
/// let reader = try PeerCacheReader()
/// try reader.read(.path("msal_token_cache.json"))
/// let group = try reader.group()
/// try group.forEachEntry { print($0.kind) }
/// ```
///
/// Safe to use from any thread.
public struct PeerCacheReader: Sendable {
    private let backing: MemoryBacking
    private let keys: GroupKeys
    private let timeout: Duration

    /// Creates a reader that has read nothing.
    ///
    /// - Parameter timeout: how long to wait for each item of the keyring.
    /// - Throws: `outOfMemory`.
    public init(timeout: Duration = .seconds(2)) throws(TokenCacheError) {
        // Entries get the same tags in every process, so that one run of a tool can inspect what another run listed.
        keys = try translating(
            try sealing(
                try GroupKeys(
                    uuid: GroupUUID(),
                    epoch: 1,
                    rootKey: .random(),
                    tagKey: SealingKey(SecretBytes(byteCount: SealingKey.byteCount))
                )
            )
        )
        backing = MemoryBacking(epoch: keys.epoch)
        self.timeout = timeout
    }

    /// Reads a cache. Several caches are merged as ``CacheGroup/importEntries(from:options:onProblem:progress:)``
    /// merges.
    ///
    /// - Parameters:
    ///   - source: the cache.
    ///   - options: its format, limits, and whether bad entries are skipped.
    ///   - onProblem: is called for every entry that cannot be read, in document order.
    ///   - progress: is called with the progress, and can cancel.
    /// - Returns: what was read.
    /// - Throws: those errors of ``CacheGroup/importEntries(from:options:onProblem:progress:)`` that do not concern a
    ///   store. Then nothing of this cache was read.
    @discardableResult
    public func read(
        _ source: ImportSource,
        options: ImportOptions = ImportOptions(),
        onProblem: ((ImportProblem) -> Void)? = nil,
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> ImportReport {
        let group = try group(MemoryStore(backing))
        defer { group.close() }
        return try group.importEntries(from: source, options: options, onProblem: onProblem, progress: progress)
    }

    /// Returns the caches read so far, as a group in memory that cannot be changed.
    ///
    /// The handles of entries and accounts are the same in every process that reads these entries. Unlike those of
    /// other groups they are not keyed: anyone who knows the ids that identify an entry can compute its handle.
    ///
    /// - Returns: the group. Its content does not change if the reader reads more.
    /// - Throws: `outOfMemory`.
    public func group() throws(TokenCacheError) -> CacheGroup {
        let reason = StorageError(.readOnly, detail: "another library's cache cannot be changed")
        return try group(MemoryStore(backing, readOnlyReason: reason))
    }

    private func group(_ store: MemoryStore) throws(TokenCacheError) -> CacheGroup {
        CacheGroup(
            OpenedGroup(
                group: "documents",
                store: store,
                storage: nil,
                custody: .process,
                unlockedKeys: try translating(try UnlockedKeys(keys)),
                directory: nil,
                location: .memory
            ),
            timeout: timeout
        )
    }
}
