/// A store that tools can look after: check it, take it elsewhere, count what it holds.
///
/// An app needs no more than ``RecordStore``. What only some stores can do is an optional capability (``fileBacked``), so that
/// whoever uses it has to say what becomes of the others. How the keys of a group are kept is told apart from where its records
/// are: see ``SlottedStore`` and ``KeyHoldingStore``.
package protocol AdministrableStore: RecordStore {
    /// Another handle on the same group, at its newest state, whose view of it nobody else moves. Whoever asks for it closes it.
    func snapshot(until deadline: Deadline) throws(StorageError) -> Self

    /// The newest transaction, as of the last refresh or commit.
    var newestSequence: UInt64 { get throws(StorageError) }

    /// Whether records are read without waiting for anybody, so that reading all of them is work and no waiting.
    var readsWithoutWaiting: Bool { get }

    /// The store, where it has a file of its own.
    var fileBacked: (any FileBackedStore)? { get }

    /// Checks everything that the store itself vouches for. Opens no record, and changes nothing.
    ///
    /// - Parameters:
    ///   - deadline: for locks and services.
    ///   - progress: is told how many bytes of how many were read, where that takes long; false ends the call.
    /// - Returns: what was found.
    /// - Throws: ``StorageError/Code/abandoned`` where `progress` ended it, and what keeps the store from being read at all.
    func examine(
        until deadline: Deadline,
        progress: @escaping (_ completed: UInt64, _ total: UInt64) -> Bool
    ) throws(StorageError) -> StoreExamination

    /// Brings the store to its newest state and ends whatever another process began in it and did not come to the end of.
    /// Nobody else changes the group meanwhile.
    func settle(within time: WaitingTime) throws(StorageError)

    /// Hands over every record with both its boxes: the partitions in ascending order, each in one piece, as of the last
    /// refresh or commit.
    ///
    /// - Throws: ``StorageError/Code/damaged`` where a box cannot be read, and what the store meets and `body` throws.
    func forEachRecord(
        within time: WaitingTime,
        _ body: (RelocatedRecord) throws(StorageError) -> Void
    ) throws(StorageError)
}

/// A store whose records lie in a file of its own, which grows until it is written anew.
package protocol FileBackedStore: AdministrableStore {
    var path: String { get }

    /// What the file weighs, as of the last refresh or commit.
    var statistics: FileStatistics { get throws(StorageError) }

    /// Writes the file anew without what is dead in it. Others go on reading and writing meanwhile.
    ///
    /// - Throws: ``StorageError/Code/busy`` where another thread or process is at it already.
    func compact(until deadline: Deadline) throws(StorageError)
}
