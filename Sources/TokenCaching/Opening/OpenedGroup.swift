package import GroupDirectory
package import GroupRecords
package import RecordStorage
package import Sealing

/// A group with its store open and its keys at hand.
package struct OpenedGroup: Sendable {
    /// The name of the group.
    package let group: String
    /// Where the records are.
    package let store: any AdministrableStore
    /// The kind of store that the folder of the group names; `nil` for a group without a folder.
    package let storage: StorageKind?
    /// Who keeps the keys of the group.
    package let custody: KeyCustody
    /// The keys that were unlocked, epoch by epoch.
    package let keyring: GroupKeyring
    /// The folder of the group, where it has one.
    package let directory: GroupDirectory?
    /// Where the records are, for people.
    package let location: StorageLocation
    /// Why something is still there that the group was taken from; `nil` if nothing is.
    package var leftoverProblem: TokenCacheError?
    /// The process that opened it.
    private let process = SecretMemory.generation

    package init(
        group: String,
        store: any AdministrableStore,
        storage: StorageKind?,
        custody: KeyCustody,
        keyring: GroupKeyring,
        directory: GroupDirectory?,
        location: StorageLocation
    ) {
        self.group = group
        self.store = store
        self.storage = storage
        self.custody = custody
        self.keyring = keyring
        self.directory = directory
        self.location = location
    }

    /// Turns entries into records and back.
    package var codec: RecordCodec { RecordCodec(keyring: keyring) }

    /// Opens the key slots of the group with what the caller gave, where it has slots.
    package var unlocker: KeyUnlocker? {
        if case .slots(_, let unlocker, _) = custody { unlocker } else { nil }
    }

    /// The keys in force, and the newest transaction; `nil` if nobody keeps the keys.
    package func keysAndSequence(
        until deadline: Deadline
    ) throws(StorageError) -> (keys: GroupKeys, sequence: UInt64)? {
        switch custody {
        case .slots(let store, let unlocker, _):
            (try unlocker.unlock(store.keySlots, until: deadline), try store.newestSequence)
        case .store(let store): (store.groupKeys, try store.newestSequence)
        case .process: nil
        }
    }

    /// Another handle on the same store, whose view of it nobody else moves: what it reads stays as of one moment until
    /// it is asked to refresh. Opening it reads the head of a file, not the records.
    package func snapshot(until deadline: Deadline) throws(StorageError) -> any AdministrableStore {
        try confirmReading()
        return try store.snapshot(until: deadline)
    }

    /// Makes sure that the store may be read by this process, and is where the folder says that the group is.
    package func confirmReading() throws(StorageError) {
        try checkProcess()
        if let directory, let storage { try directory.confirmReading(storage) }
    }

    /// - Throws: `forkedProcess` in a child of the process that opened it.
    package func checkProcess() throws(StorageError) {
        if !SecretMemory.isCurrent(process) { throw StorageError(.forkedProcess) }
    }
}

/// Who keeps the keys of an open group. It decides how they are changed, and whether there is anything to be changed.
package enum KeyCustody: Sendable {
    /// The store has key slots, each of which something else opens.
    case slots(any SlottedStore, KeyUnlocker, OwnKeyFiles)
    /// The store keeps the keys itself.
    case store(any KeyHoldingStore)
    /// Nobody: they were made for this process and end with it.
    case process
}
