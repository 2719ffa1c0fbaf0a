// SPDX-License-Identifier: Apache-2.0

/// A store that tools can administer: verify it, migrate it, report on its contents.
///
/// An app needs only ``RecordStore``. A capability that only some stores have is optional (``fileBacked``), so that its
/// callers must decide what to do with the other stores. How a store keeps the keys of a group is a separate question
/// from where it keeps records: see ``SlottedStore`` and ``KeyHoldingStore``.
package protocol AdministrableStore: RecordStore {
    /// Another handle on the same group at its newest state, which no other caller refreshes. The caller closes it.
    func snapshot(until deadline: Deadline) throws(StorageError) -> Self

    /// The newest transaction, as of the last refresh or commit.
    var newestSequence: UInt64 { get throws(StorageError) }

    /// Whether reading records never waits for another process or service, so that reading all of them takes time
    /// only in proportion to their number.
    var readsWithoutWaiting: Bool { get }

    /// This store, if it has a file of its own.
    var fileBacked: (any FileBackedStore)? { get }

    /// Verifies everything that the store itself authenticates. Opens no record and changes nothing.
    ///
    /// - Parameters:
    ///   - deadline: for locks and services.
    ///   - progress: is passed the bytes read and the total, if that takes long; returning false cancels the call.
    /// - Returns: the findings.
    /// - Throws: ``StorageError/Code/cancelled`` if `progress` cancelled it, and errors that prevent reading the store
    ///   at all.
    func examine(
        until deadline: Deadline,
        progress: @escaping (_ completed: UInt64, _ total: UInt64) -> Bool
    ) throws(StorageError) -> StoreExamination

    /// Refreshes the store and completes any operation that another process left unfinished in it. No other process
    /// changes the group meanwhile.
    func settle(within time: WaitingTime) throws(StorageError)

    /// Passes every record with both its boxes to `body`, as of the last refresh or commit: partitions in ascending
    /// order, the records of each together.
    ///
    /// - Throws: ``StorageError/Code/damaged`` if a box cannot be read, and errors of the store and of `body`.
    func forEachRecord(
        within time: WaitingTime,
        _ body: (RelocatedRecord) throws(StorageError) -> Void
    ) throws(StorageError)
}

/// A store with a file of its own that grows until it is compacted.
package protocol FileBackedStore: AdministrableStore {
    var path: String { get }

    /// Figures about the file, as of the last refresh or commit.
    var statistics: FileStatistics { get throws(StorageError) }

    /// Rewrites the file without its dead bytes. Other processes keep reading and writing meanwhile.
    ///
    /// - Throws: ``StorageError/Code/busy`` if another thread or process is already compacting.
    func compact(until deadline: Deadline) throws(StorageError)
}
