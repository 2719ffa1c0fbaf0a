// SPDX-License-Identifier: Apache-2.0

/// A store of sealed records: the encrypted file, the Secret Service, or memory.
///
/// A store sees tags, kinds, sequences and locations, but never a name or a token in plaintext. Every call that may
/// wait for a lock, a service or another thread takes a deadline and returns by it, or after the disk operation then in
/// progress. All calls are thread-safe. The transactions of all processes of a group form one sequence, numbered
/// without gaps.
package protocol RecordStore: AnyObject, Sendable {
    /// The word that changes whenever any process commits. Valid as long as the store lives.
    var revision: RevisionWord { get }

    /// The value of ``revision`` loaded before opening the store, whose state is at least as new; `nil` if a refresh is
    /// needed to know how new it is.
    var revisionAtOpening: UInt64? { get }

    /// The reason why commits are impossible; `nil` if they are possible.
    var readOnlyReason: StorageError? { get }

    /// Whether a transaction over several partitions is atomic.
    var isAtomicAcrossPartitions: Bool { get }

    /// Detects changes that the word did not announce, such as a deleted page or a replaced file. Costs a few system
    /// calls; call it at most four times per second.
    func hasUnannouncedChanges() -> Bool

    /// Brings the store to its newest state and returns the changes since the last refresh or commit.
    ///
    /// Load ``revision`` before this call: later reads are then at least as new as the loaded word.
    func refresh(until deadline: Deadline) throws(StorageError) -> StoreChanges

    /// The records of one partition, as of the last refresh or commit.
    func contents(of partition: PartitionTag, until deadline: Deadline) throws(StorageError) -> PartitionContents

    /// The records of one partition, without the facts of records that the caller has already read.
    ///
    /// - Parameters:
    ///   - partition: the partition.
    ///   - deadline: the time by which the call returns.
    ///   - reader: the reader returned with the known records. Facts are omitted only if the result has the same
    ///     reader.
    ///   - isKnown: whether the caller knows this version of a record.
    /// - Returns: the contents, with `nil` for facts that the store omitted because they are known.
    /// - Throws: the errors of ``contents(of:until:)``.
    func contents(
        of partition: PartitionTag,
        until deadline: Deadline,
        reader: any BoxReader,
        isKnown: (StoredRecord) -> Bool
    ) throws(StorageError) -> PartitionContents

    /// The partitions that contain a record with this search tag, as of the last refresh or commit. May include others.
    func partitions(under tag: SearchTag, until deadline: Deadline) throws(StorageError) -> [PartitionTag]

    /// All partitions that have records, with the number of their records, as of the last refresh or commit.
    func partitions(until deadline: Deadline) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)]

    /// Like ``partitions(until:)``, for a caller that reads all of them next: a store in a service fetches many at a
    /// time.
    func partitionsToRead(until deadline: Deadline) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)]

    /// Runs `body` under the writer's lock on the newest state, and makes its operations durable as one transaction.
    ///
    /// Once this returns, the transaction survives a crash. If `body` adds no operation or throws, the store is
    /// unchanged. The lock is held while `body` runs, so `body` must not wait.
    ///
    /// - Returns: the sequence of the transaction, or of the newest one if `body` added no operation.
    /// - Throws: ``StorageError/Code/busy`` if another process holds the lock past the deadline,
    ///   ``StorageError/Code/full`` if the disk is full, ``StorageError/Code/indeterminate`` if it is unknown whether
    ///   the transaction is durable, and any error of `body`.
    @discardableResult
    func commit(
        until deadline: Deadline,
        _ body: (CommitContext, any BatchWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64

    /// Takes the lease of this number if it is free. At most one handle of the group holds it, across all processes.
    ///
    /// Makes a few system calls and never waits.
    ///
    /// - Parameter number: the lease, below ``LeaseNumber/end``.
    /// - Returns: `nil` if another handle holds it.
    /// - Throws: ``StorageError/Code/readOnly`` if the group is read-only, and errors of the group's folder.
    func tryLease(_ number: UInt64) throws(StorageError) -> (any StoreLease)?

    /// Makes another handle on the same group, at its newest state. The caller closes it.
    func makeHandle(until deadline: Deadline) throws(StorageError) -> any RecordStore

    /// Makes a watch, which wakes on changes committed by any process after this call.
    func watchChanges() -> any ChangeWatch

    /// Releases the resources of the store. Later calls fail with ``StorageError/Code/closed``.
    func close()
}

extension RecordStore {
    package var revisionAtOpening: UInt64? { nil }

    package func contents(
        of partition: PartitionTag,
        until deadline: Deadline,
        reader: any BoxReader,
        isKnown: (StoredRecord) -> Bool
    ) throws(StorageError) -> PartitionContents {
        try contents(of: partition, until: deadline)
    }

    package func partitionsToRead(
        until deadline: Deadline
    ) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        try partitions(until: deadline)
    }
}

/// The information for building a transaction under the writer's lock.
package struct CommitContext: Sendable {
    /// The sequence of every record of this transaction, to be sealed into its boxes.
    package let sequence: UInt64
    /// The key epoch under which boxes must be sealed.
    package let epoch: UInt32
    /// The changes since the last ``RecordStore/refresh(until:)`` or commit, reported only here. Reads within the
    /// transaction return the state after these changes.
    package let changes: StoreChanges
    /// The deadline of the transaction and of reads within it.
    package let deadline: Deadline

    package init(sequence: UInt64, epoch: UInt32, changes: StoreChanges, deadline: Deadline) {
        self.sequence = sequence
        self.epoch = epoch
        self.changes = changes
        self.deadline = deadline
    }
}

/// Collects the operations of one transaction. A store may spill them to disk, so that a transaction of any size needs
/// little memory. They become visible only with the commit.
///
/// If several operations concern the same record, the last one wins.
package protocol BatchWriter: AnyObject {
    /// Adds or replaces a record.
    func put(_ record: NewRecord) throws(StorageError)

    /// Removes a record.
    func remove(_ removal: Removal) throws(StorageError)

    /// Removes every record of the group except those put in this transaction, and overwrites their secrets.
    func removeAll() throws(StorageError)

    /// Declares that the user requested a removal, even if the transaction writes only a tombstone. The transaction
    /// then succeeds on a full disk as far as the store reserves space for that, and also deletes data that the store
    /// keeps besides its records. Implied by an erasing removal and by ``removeAll()``; by itself it writes nothing.
    func declareRemoval(of scope: RemovalScope)
}

/// Sleeps until any process may have changed a group. One thread waits; any thread may stop it.
package protocol ChangeWatch: AnyObject, Sendable {
    /// Whether it returns every 250 ms because notifications are unavailable.
    var isPeriodic: Bool { get }

    /// Waits until the group may have changed since the last call, or since the creation of the watch. Spurious
    /// wake-ups are possible.
    ///
    /// - Returns: false once the watch is stopped.
    func wait() -> Bool

    /// Makes the current and all later calls of ``wait()`` return.
    func stop()
}

/// The exclusive right within a group to do something, such as redeeming a refresh token. It is held until it is
/// released or its last reference is.
///
/// It may be held for any length of time, across network calls, because reading and writing the group never wait for
/// it. The end of its process releases it, and a forked child does not inherit it.
package protocol StoreLease: AnyObject, Sendable {
    /// Releases the lease. Further calls have no effect.
    func release()
}

/// The ranges of lease numbers.
package enum LeaseNumber {
    /// The first number of leases for questions to the user. The answer may take any time, so only callers with the
    /// same question wait for such a lease.
    ///
    /// Lower numbers are for token requests. Their responses must be stored, so a migration waits for those leases.
    package static let firstOfInteractions: UInt64 = 1 << 62

    /// The limit of all numbers, exclusive.
    package static let end: UInt64 = 1 << 63
}
