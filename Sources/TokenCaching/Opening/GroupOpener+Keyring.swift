// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory
package import GroupRecords
package import RecordStorage
package import SecretServiceStorage

/// Groups that are kept in a keyring.
extension GroupOpener {
    /// - Returns: nil if another process changed the folder in the meantime, so that the caller must look again.
    func openKeyring(
        in directory: GroupDirectory,
        _ plan: StoragePlan,
        _ time: WaitingTime
    ) throws(StorageError) -> OpenedGroup? {
        let unlockedKeys = UnlockedKeys()
        guard let store = try openKeyringStore(in: directory, plan, time, unlockedKeys: unlockedKeys) else {
            return nil
        }
        return OpenedGroup(
            group: location.name.text,
            store: store,
            storage: .keyring,
            custody: .store(store),
            unlockedKeys: unlockedKeys,
            directory: directory,
            location: plan.location(in: directory, store.groupKeys)
        )
    }

    /// Opens the keyring's store of the group, and adds its keys to `unlockedKeys`.
    ///
    /// - Parameters:
    ///   - directory: the folder of the group.
    ///   - plan: what to open.
    ///   - time: for locks and the keyring.
    ///   - unlockedKeys: receives the keys.
    /// - Returns: nil if another process changed the folder in the meantime, so that the caller must look again.
    /// - Throws: errors of the folder and the keyring.
    package func openKeyringStore(
        in directory: GroupDirectory,
        _ plan: StoragePlan,
        _ time: WaitingTime,
        unlockedKeys: UnlockedKeys
    ) throws(StorageError) -> SecretServiceStore? {
        let run = KeyringGroupOpening(
            directory: directory,
            access: keyringAccess,
            time: time,
            collection: plan.collection,
            creates: access == .create,
            reason: plan.reason,
            hasJournal: plan.journal != nil,
            unlockedKeys: unlockedKeys
        )
        do throws(StorageError) { return try run.open() } catch { throw plan.mentioningJournal(error) }
    }
}
