// SPDX-License-Identifier: Apache-2.0

/// A place that keeps sealed records: the encrypted file, the Secret Service, or memory.
///
/// A store knows tags, kinds, sequences and locations, and never sees a name or a token in plaintext. Every call that
/// may wait for a lock, a service or another thread takes the caller's deadline and returns by it, late at most by a
/// disk operation in progress. All calls are safe to use from any thread. The transactions of all processes of a group
/// form one sequence, numbered without gaps.
package protocol RecordStore: AnyObject, Sendable {
    /// The word that changes whenever any process commits. Valid as long as the store lives.
    var revision: RevisionWord { get }

    /// The value of ``revision`` before anything was read to open the store, which is at least as new; `nil` if the
    /// store must be refreshed before its age is known.
    var revisionAtOpening: UInt64? { get }

    /// The reason that commits are impossible here; `nil` if they are possible.
    var readOnlyReason: StorageError? { get }

    /// Whether a transaction over several partitions is atomic.
    var isAtomicAcrossPartitions: Bool { get }

    /// Detects changes that the word did not announce (a page deleted, a file replaced). Costs a few system calls;
    /// meant for at most four calls per second.
    func wasModifiedExternally() -> Bool

    /// Brings the store to its newest state and returns the changes since the last refresh or commit.
    ///
    /// Load ``revision`` first: what is read after this call is at least as new as the word that was loaded before it.
    func refresh(until deadline: Deadline) throws(StorageError) -> StoreChanges

    /// The records of one partition, as of the last refresh or commit.
    func contents(of partition: PartitionTag, until deadline: Deadline) throws(StorageError) -> PartitionContents

    /// The records of one partition, without the facts of records that the caller has already read.
    ///
    /// - Parameters:
    ///   - partition: the partition.
    ///   - deadline: when the call returns at the latest.
    ///   - reader: the reader that came with the known records. They are known only if the result has the same reader.
    ///   - isKnown: whether the caller has this version of a record.
    /// - Returns: the contents, with `nil` for known facts, as far as the store omitted them.
    /// - Throws: the errors of ``contents(of:until:)``.
    func contents(
        of partition: PartitionTag,
        until deadline: Deadline,
        reader: any BoxReader,
        isKnown: (StoredRecord) -> Bool
    ) throws(StorageError) -> PartitionContents

    /// The partitions with a record written under `tag`, as of the last refresh or commit. May include others.
    func partitions(under tag: SearchTag, until deadline: Deadline) throws(StorageError) -> [PartitionTag]

    /// Every partition that has records, with their number, as of the last refresh or commit.
    func partitions(until deadline: Deadline) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)]

    /// The same for a caller that reads all of them next: a store that fetches each from a service fetches many at a
    /// time.
    func partitionsToRead(until deadline: Deadline) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)]

    /// Runs `body` under the writer's lock on the newest state, and makes its operations durable as one transaction.
    ///
    /// When this returns, the transaction survives a crash. If `body` adds nothing, nothing is written. If it throws,
    /// nothing is changed. The lock is held while `body` runs, so `body` must not wait for anything.
    ///
    /// - Returns: the sequence of the transaction, or of the newest one if nothing was written.
    /// - Throws: ``StorageError/Code/busy`` if another process holds the lock past the deadline,
    ///   ``StorageError/Code/full`` if the disk is full, ``StorageError/Code/indeterminate`` if it is unknown whether
    ///   the transaction is durable, and any error of `body`.
    @discardableResult
    func commit(
        until deadline: Deadline,
        _ body: (CommitContext, any BatchWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64

    /// Takes the lease of this number if it is free. At most one handle in the whole group holds it, across processes.
    ///
    /// Makes a few system calls and never waits.
    ///
    /// - Parameter number: the lease, below ``LeaseNumber/end``.
    /// - Returns: `nil` if another handle holds it.
    /// - Throws: ``StorageError/Code/readOnly`` if nothing can be written, and errors of the group's folder.
    func tryLease(_ number: UInt64) throws(StorageError) -> (any StoreLease)?

    /// Another handle on the same group at its newest state. The caller closes it.
    func makeHandle(until deadline: Deadline) throws(StorageError) -> any RecordStore

    /// A watch that waits for changes by any process. Changes committed after this call wake it.
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

/// Sleeps until something in a group may have changed, by any process. One thread waits; any thread may stop it.
package protocol ChangeWatch: AnyObject, Sendable {
    /// Whether it has no notifications and returns every 250 ms instead.
    var isPeriodic: Bool { get }

    /// Waits until something may have changed since the last call, or since the watch was created. Spurious wake-ups
    /// are possible.
    ///
    /// - Returns: false once the watch was stopped.
    func wait() -> Bool

    /// Makes the waiting thread return, now and at all later calls.
    func stop()
}

/// The right to do one thing that only one process of a group may do at a time, such as redeeming a refresh token: held
/// until it is released or the last reference goes away.
///
/// It may be held for any length of time, across network calls, because reading and writing the group never waits for
/// it. It is released when its process ends for any reason, and a forked child does not have it.
package protocol StoreLease: AnyObject, Sendable {
    /// Releases the lease. Later calls do nothing.
    func release()
}
