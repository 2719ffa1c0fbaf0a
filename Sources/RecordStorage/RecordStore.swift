/// A place that keeps sealed records: the encrypted file, memory, later the Secret Service.
///
/// A store knows tags, kinds, sequences and places. It never sees a name or a token in clear. Whatever may wait for a
/// lock, a service or another thread takes the deadline of the caller and returns by it, beyond it by what the disk is at
/// just then. All calls are safe to use from any thread. Transactions of all processes of a group form one order, numbered
/// by sequence without gaps.
package protocol RecordStore: AnyObject, Sendable {
    /// The word that changes whenever any process commits. Valid as long as the store lives.
    var revision: RevisionWord { get }

    /// What ``revision`` said before anything was read to open the store, which is as new as that; `nil` where the store
    /// has to be refreshed before it is known how new it is.
    var revisionAtOpening: UInt64? { get }

    /// Why no commit is possible here, or `nil` where commits are.
    var readOnlyReason: StorageError? { get }

    /// Whether a transaction over several partitions is applied as a whole or not at all.
    var isAtomicAcrossPartitions: Bool { get }

    /// Tells whether anything moved that the word did not tell (a page deleted, a file replaced). A few system calls;
    /// meant for at most four times a second.
    func wasModifiedExternally() -> Bool

    /// Brings the store to its newest state and says what changed since the last such call or commit.
    ///
    /// Load ``revision`` first: what is read after this call is at least as new as the word that was loaded before it.
    func refresh(until deadline: Deadline) throws(StorageError) -> StoreChanges

    /// The records of one partition, as of the last refresh or commit.
    func contents(of partition: PartitionTag, until deadline: Deadline) throws(StorageError) -> PartitionContents

    /// The same for whoever has read some of the records before: their facts need not be read again.
    ///
    /// - Parameters:
    ///   - partition: which one.
    ///   - deadline: by when it returns.
    ///   - reader: what the records came with that are known. Known are only those that come with it again.
    ///   - isKnown: whether a record is, in this very version.
    /// - Returns: the contents; `nil` in the place of facts that are known, as far as the store left them out.
    /// - Throws: as ``contents(of:until:)``.
    func contents(
        of partition: PartitionTag,
        until deadline: Deadline,
        reader: any BoxReader,
        isKnown: (StoredRecord) -> Bool
    ) throws(StorageError) -> PartitionContents

    /// The partitions with a record written under `tag`, as of the last refresh or commit. May name one too many.
    func partitions(under tag: SearchTag, until deadline: Deadline) throws(StorageError) -> [PartitionTag]

    /// Every partition that has a record, with the number of its records, as of the last refresh or commit.
    func partitions(until deadline: Deadline) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)]

    /// The same for whoever reads all of them next: a store that has to ask for each of them asks for many at a time.
    func partitionsToRead(until deadline: Deadline) throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)]

    /// Runs `body` under the writer's lock, on the newest state, and makes its operations durable as one transaction.
    ///
    /// When this returns, the transaction survives a crash. Where `body` adds nothing, nothing is written. Where it
    /// throws, nothing is changed. The lock is held while `body` runs: it must not wait for anything.
    ///
    /// - Returns: the sequence of the transaction, or of the newest one where nothing was written.
    /// - Throws: ``StorageError/Code/busy`` where another process keeps the lock past the deadline,
    ///   ``StorageError/Code/full`` where the disk is full, ``StorageError/Code/indeterminate`` where it is unknown
    ///   whether the transaction is durable, and whatever `body` throws.
    @discardableResult
    func commit(
        until deadline: Deadline,
        _ body: (CommitContext, any BatchWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64

    /// Takes the lease of this number if it is free now: at most one in the whole group, whichever handle or process asks.
    ///
    /// Some system calls; never waits.
    ///
    /// - Parameter number: which lease, below 2^62.
    /// - Returns: `nil` where somebody else holds it.
    /// - Throws: ``StorageError/Code/readOnly`` where nothing can be written, and what the folder of the group meets.
    func tryLease(_ number: UInt64) throws(StorageError) -> (any StoreLease)?

    /// Another handle on the same group, at its newest state. Whoever asks for it closes it.
    func makeHandle(until deadline: Deadline) throws(StorageError) -> any RecordStore

    /// Something to wait with for changes by anybody. What is committed after this call wakes it.
    func watchChanges() -> any ChangeWatch

    /// Releases what the store holds. Later calls fail with ``StorageError/Code/closed``.
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

/// Sleeps until something in a group may have changed, whoever changed it. For one thread that waits; any may stop it.
package protocol ChangeWatch: AnyObject, Sendable {
    /// Whether nothing wakes it, so that it returns every 250 ms instead.
    var isPeriodic: Bool { get }

    /// Waits until something may have changed since the last call, or since the watch was made. May return for nothing.
    ///
    /// - Returns: false once the watch was stopped.
    func wait() -> Bool

    /// Lets the one who waits return, now and from now on.
    func stop()
}

/// The right to do one thing that only one process of a group may do at a time, such as spending a refresh token: held
/// until it is given back or nobody refers to it any more.
///
/// It may be held for as long as it takes, across network calls: nobody who only reads or writes the group waits for it.
/// It goes back when its process ends, however that happens, and a forked child does not have it.
package protocol StoreLease: AnyObject, Sendable {
    /// Gives it back. Later calls do nothing.
    func release()
}
