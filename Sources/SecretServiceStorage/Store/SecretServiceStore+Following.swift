// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import Sealing

extension SecretServiceStore {
    /// Runs `body`. If it needs unknown keys, looks them up in the keyring and runs it again.
    func following<Result>(
        until deadline: Deadline,
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        do throws(StorageError) {
            return try body()
        } catch {
            guard error.code == .keyMissing else { throw error }
        }
        try lookUpKeys(until: deadline)
        do throws(StorageError) {
            return try body()
        } catch {
            // The keyring has no keys for the epoch named by an item or the list.
            guard error.code == .keyMissing else { throw error }
            throw StorageError(
                .damaged,
                detail: "an item of the group is sealed with keys that the keyring does not have"
            )
        }
    }

    /// Adopts the keys that the keyring now holds.
    @discardableResult
    func lookUpKeys(until deadline: Deadline) throws(StorageError) -> KeyItems {
        let found = try items.keyItems(until: deadline, prompts: .never)
        guard let keys = KeyItems(found, of: chain.newest.group.uuid.description) else {
            try directory.confirmReading(.keyring)
            throw StorageError(.keyringItemMissing, detail: "the key of the group is not in the keyring")
        }
        try chain.take(keys)
        return keys
    }

    /// Reads the list, after looking up its keys if they are unknown.
    func followedList(
        until deadline: Deadline
    ) throws(StorageError) -> (reading: ItemList.Reading, identity: FileIdentity)? {
        guard let found = try Self.readList(in: directory, chain) else { return nil }
        guard case .newer = found.reading else { return found }
        try lookUpKeys(until: deadline)
        return try Self.readList(in: directory, chain)
    }
}
