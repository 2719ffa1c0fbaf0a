// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage
package import Sealing
internal import Synchronization
internal import SystemPackage

/// The encrypted file: one journal in the folder of a group, shared by all its processes.
///
/// Opening reads the header, the index of the snapshot and the heads of the frames after it; an account is read when it
/// is requested. A commit is one write and one sync. Every call may block on the disk and on the writer's lock until
/// its deadline, plus the time that the disk takes. All calls are safe to use from any thread. Boxes are read without a
/// lock.
package final class FileStore: RecordStore {
    let directory: GroupDirectory
    let keyChain: KeyChain
    let core: Mutex<Core>
    /// Held while the store moves to a newer state, so that only one thread does. Taken after the writer's lock.
    let moving = Mutex<Void>(())
    let upkeep = Upkeep()

    /// The current state of the store.
    struct Core: Sendable {
        var state: JournalState
        /// During a transaction the store reads as of its start.
        var isFrozen = false
        /// After a failed sync, this process appends no more frames to this file.
        var isPoisoned = false
        var isClosed = false
        /// Changes that were not reported yet.
        var unreported = StoreChanges.none
        /// A transaction that needs a longer frame is written as a new snapshot. Tests lower it, because reaching it
        /// takes millions of replaced secrets.
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
