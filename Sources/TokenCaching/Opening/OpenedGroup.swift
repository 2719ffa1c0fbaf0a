// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory
package import GroupRecords
package import RecordStorage
package import Sealing

/// A group with its open store and its keys.
package struct OpenedGroup: Sendable {
    /// The name of the group.
    package let group: String
    /// The store of the records.
    package let store: any AdministrableStore
    /// The kind of store that the folder of the group names; `nil` for a group without a folder.
    package let storage: StorageKind?
    /// How the keys of the group are kept.
    package let custody: KeyCustody
    /// The unlocked keys of each epoch.
    package let unlockedKeys: UnlockedKeys
    /// The folder of the group, if it has one.
    package let directory: GroupDirectory?
    /// Where the records are, to display.
    package let location: StorageLocation
    /// Why another store may still contain records of the group; `nil` if none does.
    package var leftoverProblem: TokenCacheError?
    /// The process that opened it.
    private let process = SecretMemory.generation

    package init(
        group: String,
        store: any AdministrableStore,
        storage: StorageKind?,
        custody: KeyCustody,
        unlockedKeys: UnlockedKeys,
        directory: GroupDirectory?,
        location: StorageLocation
    ) {
        self.group = group
        self.store = store
        self.storage = storage
        self.custody = custody
        self.unlockedKeys = unlockedKeys
        self.directory = directory
        self.location = location
    }

    /// The reason of an error: what looks damaged, or like another group, may be the remains of this group, which was
    /// removed or replaced meanwhile.
    package func cause(of error: StorageError) -> StorageError { directory?.cause(of: error) ?? error }

    /// Converts the errors of a call on the group.
    package func translating<Result: ~Copyable>(
        _ call: @autoclosure () throws(StorageError) -> Result
    ) throws(TokenCacheError) -> Result {
        do throws(StorageError) {
            return try call()
        } catch {
            throw TokenCacheError(cause(of: error))
        }
    }

    /// Encodes and decodes the group's records.
    package var codec: RecordCodec { RecordCodec(unlockedKeys: unlockedKeys) }

    /// Unlocks the key slots of the group with the secrets that the caller gave, if it has slots.
    package var unlocker: KeyUnlocker? {
        if case .slots(_, let unlocker, _) = custody { unlocker } else { nil }
    }

    /// The current keys, and the newest transaction; `nil` if the keys are not stored.
    package func keysAndSequence(
        until deadline: Deadline
    ) throws(StorageError) -> (keys: GroupKeys, sequence: UInt64)? {
        switch custody {
        case .slots(let store, let unlocker, _):
            (try unlocker.unlock(store.keySlots, until: deadline), try store.newestSequence(until: deadline))
        case .store(let store): (store.groupKeys, try store.newestSequence(until: deadline))
        case .process: nil
        }
    }

    /// Another handle on the same store, which no other caller refreshes: until it is refreshed, it reads the state of
    /// one moment. Opening it reads the head of a file, not the records.
    package func snapshot(until deadline: Deadline) throws(StorageError) -> any AdministrableStore {
        try confirmReading()
        return try store.snapshot(until: deadline)
    }

    /// Checks that this process may read the store, and that the group is still kept in it.
    package func confirmReading() throws(StorageError) {
        try checkProcess()
        if let directory, let storage { try directory.confirmReading(storage) }
    }

    /// - Throws: `forkedProcess` in a child of the process that opened it.
    package func checkProcess() throws(StorageError) {
        if !SecretMemory.isCurrent(process) { throw StorageError(.forkedProcess) }
    }
}

/// How the keys of an open group are stored. This decides how they can be changed, and whether they can be changed at
/// all.
package enum KeyCustody: Sendable {
    /// The store has key slots, each opened by something else.
    case slots(any SlottedStore, KeyUnlocker, OwnKeyFiles)
    /// The store keeps the keys itself.
    case store(any KeyHoldingStore)
    /// Not stored: they were created for this process and end with it.
    case process
}
