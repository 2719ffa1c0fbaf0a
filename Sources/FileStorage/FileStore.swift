// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage
package import Sealing
internal import Synchronization
internal import SystemPackage

/// The encrypted file: one journal in the folder of a group, shared by all its processes.
///
/// Opening reads the header, the snapshot's index and the heads of the frames after it; an account is read only on
/// request. A commit is one write and one sync. Every call may wait for the writer's lock until its deadline, and for
/// the disk beyond that. All calls are thread-safe. Reading a box takes no lock.
package final class FileStore: RecordStore {
    let directory: GroupDirectory
    let keyChain: KeyChain
    let core: Mutex<Core>
    /// Held while a thread moves the store to a newer state, so that only one does at a time. Taken after the writer's
    /// lock.
    let moving = Mutex<Void>(())
    let upkeep = BackgroundJobs()

    /// The current state of the store.
    struct Core: Sendable {
        var state: JournalState
        /// Set during a transaction, in which the store reads the state at its start.
        var isFrozen = false
        /// Set after a failed sync: this process then appends no more frames to this file.
        var isPoisoned = false
        var isClosed = false
        /// Changes not yet reported.
        var unreported = StoreChanges.none
        /// A transaction that needs a longer frame is written as a new snapshot. Tests lower this limit, because
        /// reaching it takes millions of replaced secrets.
        var longestFrameByteCount = JournalFormat.longestFrameByteCount
        /// No background compaction starts before this sequence.
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

    /// The group that the journal belongs to.
    package var group: GroupUUID { core.withLock { $0.state.generation.header.group } }

    /// The key epoch of the journal, as of the last refresh or commit.
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

    /// Passes the current state to `body`.
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
