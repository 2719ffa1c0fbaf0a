internal import GroupDirectory
package import RecordStorage
package import Sealing
internal import Synchronization
internal import SystemPackage

/// The encrypted file: one journal in the folder of a group, shared by all its processes.
///
/// Opening reads the header, the index of the snapshot and the heads of the frames behind it; an account is read when it
/// is asked for. A commit is one write and one sync. All calls may block on the disk and on the writer's lock, none
/// longer than its deadline plus the disk's own time; all are safe to use from any thread. Boxes are read without a lock.
package final class FileStore: RecordStore {
    let directory: GroupDirectory
    let keyChain: KeyChain
    let core: Mutex<Core>
    /// Held while the store moves to a newer state, so that it moves once at a time. Taken after the writer's lock.
    let moving = Mutex<Void>(())
    let upkeep = Upkeep()

    /// What the store knows now.
    struct Core: Sendable {
        var state: JournalState
        /// A transaction is under way: until it ends the store reads as of its start.
        var isFrozen = false
        /// A sync failed: this file gets no more frames from here.
        var isPoisoned = false
        var isClosed = false
        /// What changed and was not told to anybody yet.
        var unreported = StoreChanges.none
        /// A transaction that needs a longer frame is written as a new snapshot. Tests make it less: it takes millions of
        /// replaced secrets to get there.
        var longestFrameByteCount = JournalFormat.longestFrameByteCount
        /// No compaction is started behind the store before this sequence.
        var nextCompaction: UInt64 = 0
    }

    init(directory: GroupDirectory, keyChain: KeyChain, state: JournalState) {
        self.directory = directory
        self.keyChain = keyChain
        core = Mutex(Core(state: state))
    }

    package var revision: RevisionWord { directory.revision.word }

    package var revisionAtOpening: UInt64? { directory.revisionAtOpening }

    package var readOnlyReason: StorageError? { directory.readOnlyReason }

    package var isAtomicAcrossPartitions: Bool { true }

    /// The key-slot block of the journal, as of the last refresh or commit.
    package var keySlots: KeySlots {
        get throws(StorageError) {
            let header = core.withLock { $0.state.generation.header }
            if let known = keyChain.unlockedSlots, known.encoded == header.keySlots { return known }
            do throws(StorageError) {
                return try header.decodedKeySlots()
            } catch {
                throw error.at(directory.path(of: JournalFormat.fileName))
            }
        }
    }

    /// The group whose journal it is.
    package var group: GroupUUID { core.withLock { $0.state.generation.header.group } }

    /// The number of the keys under which the journal is sealed, as of the last refresh or commit.
    package var epoch: UInt32 { core.withLock { $0.state.generation.epoch } }

    package func tryLease(_ number: UInt64) throws(StorageError) -> (any StoreLease)? {
        try checkOpen()
        return try directory.tryLease(number, in: .file)
    }

    package func watchChanges() -> any ChangeWatch { directory.watchChanges() }

    package func close() {
        stopUpkeep()
        core.withLock { $0.isClosed = true }
    }

    /// - Throws: ``StorageError/Code/closed``.
    func checkOpen() throws(StorageError) {
        _ = try withState { $0.sequence }
    }

    /// The state now.
    ///
    /// - Throws: ``StorageError/Code/closed``.
    func withState<Result>(_ body: (borrowing JournalState) -> Result) throws(StorageError) -> Result {
        try core.withLock { core throws(StorageError) in
            guard !core.isClosed else { throw StorageError(.closed, path: directory.path.string) }
            return body(core.state)
        }
    }
}

extension FileStore {
    /// The name of the journal in the folder of a group.
    package static var fileName: String { JournalFormat.fileName }
}
