// SPDX-License-Identifier: Apache-2.0

package import Sealing

/// A store that tools can verify, migrate and report on.
///
/// An app needs only ``RecordStore``. A capability of only some stores is an optional property (``fileBacked``), which
/// makes callers decide what to do with other stores. Separate protocols describe how a store keeps the keys of a
/// group: ``SlottedStore`` and ``KeyHoldingStore``.
package protocol AdministrableStore: RecordStore {
    /// Makes another handle on the same group, at its newest state, which only the caller refreshes. The caller closes
    /// it.
    func snapshot(until deadline: Deadline) throws(StorageError) -> Self

    /// The newest transaction, as of the last refresh or commit. If a store keeps a list of its records and the list is
    /// missing, as after a reboot, it looks at every record.
    ///
    /// - Throws: errors of the store.
    func newestSequence(until deadline: Deadline) throws(StorageError) -> UInt64

    /// Whether reading records never waits for another process or service, so that the time for reading all of them
    /// depends only on their number.
    var readsWithoutWaiting: Bool { get }

    /// This store, if it has its own file.
    var fileBacked: (any FileBackedStore)? { get }

    /// Verifies all data that the store itself authenticates, without opening or changing any record.
    ///
    /// - Parameters:
    ///   - deadline: for locks and services.
    ///   - progress: receives the bytes read and the total, if reading takes long; returns false to cancel the call.
    /// - Returns: the findings.
    /// - Throws: ``StorageError/Code/cancelled`` if `progress` returned false, and errors that prevent reading the
    ///   store at all.
    func examine(
        until deadline: Deadline,
        progress: @escaping (_ completed: UInt64, _ total: UInt64) -> Bool
    ) throws(StorageError) -> StoreExamination

    /// Refreshes the store and completes any operation that another process left unfinished. No other process may
    /// change the group meanwhile.
    func settle(within time: WaitingTime) throws(StorageError)

    /// Passes every record with both its boxes to `body`, as of the last refresh or commit, grouped by partition in
    /// ascending order.
    ///
    /// - Throws: ``StorageError/Code/damaged`` if a box cannot be read, and errors of the store and of `body`.
    func forEachRecord(
        within time: WaitingTime,
        _ body: (RelocatedRecord) throws(StorageError) -> Void
    ) throws(StorageError)
}

/// A store with its own file, which grows until it is compacted.
package protocol FileBackedStore: AdministrableStore {
    var path: String { get }

    /// Statistics of the file, as of the last refresh or commit.
    var statistics: FileStatistics { get throws(StorageError) }

    /// Passes the newest state to `body` while no process can write. What looked damaged before may have been removed or
    /// sealed anew since.
    ///
    /// - Throws: ``StorageError/Code/busy``, and errors of reading the store and of `body`.
    func withoutWriters(
        until deadline: Deadline,
        _ body: (any RecordStore) throws(StorageError) -> Void
    ) throws(StorageError)

    /// Rewrites the file without its dead bytes while other processes keep reading and writing.
    ///
    /// - Throws: ``StorageError/Code/busy`` if another thread or process is already compacting.
    func compact(until deadline: Deadline) throws(StorageError)

    /// Compacts if it would pay off.
    func compactIfWorthIt(until deadline: Deadline) throws(StorageError)

    /// Starts no compaction without being asked to, and so no thread.
    func compactOnlyOnRequest()
}

/// Opens the boxes of a record under the old keys of a group and seals them under the new ones, as the same record.
package typealias Reseal = (StoredRecord, PartitionTag, _ facts: RawSpan, _ secret: RawSpan?) throws(StorageError)
    -> (facts: [UInt8], secret: [UInt8])

/// A store that keeps a block of key slots, each opened by a key file, a passphrase or the keyring.
package protocol SlottedStore: AdministrableStore {
    /// The key slots as of the last refresh or commit.
    var keySlots: KeySlots { get throws(StorageError) }

    /// Atomically replaces the keys, or the key slots of the same keys.
    ///
    /// With keys of a later epoch, `reseal` receives the boxes of every record and returns the new ones; with the same
    /// keys it is not called. The writer's lock is held throughout.
    ///
    /// - Throws: ``StorageError/Code/foreign`` if keys and slots do not belong to this group or are older,
    ///   ``StorageError/Code/busy``, ``StorageError/Code/damaged`` if a box would be lost, and the errors of `reseal`.
    ///   The old keys and slots then stay in use, except after ``StorageError/Code/indeterminate``.
    func replaceKeys(
        with keys: GroupKeys,
        slots: KeySlots,
        until deadline: Deadline,
        reseal: Reseal
    ) throws(StorageError)
}

/// A store that keeps the keys of its group itself, under its own access control.
package protocol KeyHoldingStore: AdministrableStore {
    /// The current keys, as of the last read.
    var groupKeys: GroupKeys { get }

    /// Replaces the keys and reseals every record, part by part. The next process that opens the group resumes an
    /// interrupted change.
    ///
    /// - Parameters:
    ///   - deadline: for the lock and the work before the first part; restarts for each part.
    ///   - meter: receives the bytes resealed, the total and the number of records, before any change and after each
    ///     part; throws to stop the change.
    ///   - newKeys: returns the keys of the next epoch, given the current ones.
    /// - Throws: ``StorageError/Code/damaged`` if records would be lost, ``StorageError/Code/foreign`` if the new keys
    ///   do not follow the old ones, and errors of the store.
    func replaceKeys(
        until deadline: Deadline,
        meter: (_ completed: Int, _ total: Int, _ recordCount: Int) throws(StorageError) -> Void,
        _ newKeys: (GroupKeys) throws(StorageError) -> GroupKeys
    ) throws(StorageError)
}
