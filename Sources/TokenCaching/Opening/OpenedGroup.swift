package import FileStorage
package import GroupDirectory
package import GroupRecords
package import RecordStorage
package import Sealing
internal import SecretServiceStorage

/// A group with its store open and its keys at hand.
package struct OpenedGroup: Sendable {
    /// The name of the group.
    package let group: String
    /// Where the records are.
    package let store: any RecordStore
    /// The store, where it is the encrypted file.
    package let fileStore: FileStore?
    /// What the store has its records in, where that is memory.
    package let memory: MemoryBacking?
    /// The keys that were unlocked, epoch by epoch.
    package let keyring: GroupKeyring
    /// The folder of the group, where it has one.
    package let directory: GroupDirectory?
    /// Where the records are, for people.
    package let place: StoragePlace
    /// Opens key slots with what the caller gave.
    package let unlocker: KeyUnlocker?
    /// Where the library keeps key files for groups of this root.
    package let ownKeyFiles: OwnKeyFiles?
    /// Why something is still there that the group was taken from; `nil` where nothing is.
    package var leftoverProblem: TokenCacheError?
    /// The process that opened it.
    private let process = SecretMemory.generation

    /// Turns entries into records and back.
    package var codec: RecordCodec { RecordCodec(keyring: keyring) }

    /// The keys in force, and the newest transaction; `nil` for a group in memory.
    package func keysAndSequence(until deadline: Deadline) throws(StorageError) -> (keys: GroupKeys, sequence: UInt64)?
    {
        if let fileStore, let unlocker {
            return (try unlocker.unlock(fileStore.keySlots, until: deadline), try fileStore.newestSequence)
        }
        if let store = store as? SecretServiceStore { return (store.groupKeys, try store.newestSequence) }
        return nil
    }

    /// Another handle on the same store, whose view of it nobody else moves: what it reads stays as of one moment until
    /// it is asked to refresh. Opening it reads the head of the file, not the records.
    package func snapshot(until deadline: Deadline) throws(StorageError) -> any RecordStore {
        try checkProcess()
        if let memory { return MemoryStore(memory) }
        if fileStore == nil {
            try directory?.confirmReading(.keyring)
            return try store.anotherHandle(until: deadline)
        }
        return try fileSnapshot(until: deadline)
    }

    /// - Throws: `forkedProcess` in a child of the process that opened it.
    package func checkProcess() throws(StorageError) {
        if !SecretMemory.isCurrent(process) { throw StorageError(.forkedProcess) }
    }

    /// The same for a group in the encrypted file.
    package func fileSnapshot(until deadline: Deadline) throws(StorageError) -> FileStore {
        try checkProcess()
        guard let directory, let unlocker else { throw StorageError(.storageMismatch) }
        try directory.confirmReading(.file)
        let snapshot = try FileStore.open(in: directory, until: deadline) { (slots, end) throws(StorageError) in
            try unlocker.unlock(slots, until: end)
        }
        if let fileStore { snapshot.tellRemovals(as: fileStore) }
        return snapshot
    }
}
