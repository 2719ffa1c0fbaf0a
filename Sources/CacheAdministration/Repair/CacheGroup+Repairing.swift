// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Makes a damaged group usable again: keeps what verifies, and moves the rest to the group's folder `quarantine`.
    ///
    /// It keeps every account of the file's main part and every later change whose list of records verifies, record by
    /// record. Opening a group never repairs it, and an undamaged group is not changed. A lost change may have signed
    /// accounts out; its accounts then appear as they were before. If the journal is missing, empty
    /// or not a journal at all, or none of its headers verifies, it is quarantined, and the group starts over, empty.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the parent of group folders; by default `$XDG_DATA_HOME/swift-token-cache`.
    ///   - storage: what unlocks the group.
    ///   - fallbackUnlocking: other ways to unlock a group in the encrypted file, if the storage is chosen
    ///     automatically.
    ///   - isDryRun: whether to report what would be done without doing it.
    ///   - timeout: how long to wait for the lock, and for the keyring.
    ///   - prompts: whether the keyring may prompt the user.
    /// - Returns: what was found and done.
    /// - Throws: `notFound`, `keyMissing`, `keyRejected`, `foreign`, `busy`. The group is then unchanged.
    public static func repair(
        _ name: String,
        root: String? = nil,
        storage: StorageChoice = .automatic,
        fallbackUnlocking: [FileUnlocking] = [],
        isDryRun: Bool = false,
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never
    ) throws(TokenCacheError) -> RepairReport {
        let opener = try opener(
            of: name,
            root: root,
            storage: storage,
            fallbackUnlocking: fallbackUnlocking,
            timeout: timeout,
            prompts: prompts
        )
        return try translating(try opener.repair(isDryRun: isDryRun))
    }

    /// Accepts the group's file as it is, although the group's folder or the keyring has recorded a newer state, and
    /// repairs it if it is damaged. The file is written anew, and continues behind the newest known change.
    ///
    /// If the group opens, there is nothing to accept, and this only repairs it. The missing changes may have signed
    /// accounts out: ``RepairReport/missingTransactionCount`` is their number.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the parent of group folders; by default `$XDG_DATA_HOME/swift-token-cache`.
    ///   - storage: what unlocks the group.
    ///   - fallbackUnlocking: other ways to unlock a group in the encrypted file, if the storage is chosen
    ///     automatically.
    ///   - isDryRun: whether to report what would be done without doing it.
    ///   - timeout: how long to wait for the lock, and for the keyring.
    ///   - prompts: whether the keyring may prompt the user.
    /// - Returns: what was found and done.
    /// - Throws: errors of opening the group and of the keyring.
    public static func acceptRollback(
        _ name: String,
        root: String? = nil,
        storage: StorageChoice = .automatic,
        fallbackUnlocking: [FileUnlocking] = [],
        isDryRun: Bool = false,
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never
    ) throws(TokenCacheError) -> RepairReport {
        let opener = try opener(
            of: name,
            root: root,
            storage: storage,
            fallbackUnlocking: fallbackUnlocking,
            timeout: timeout,
            prompts: prompts
        )
        return try translating(try opener.acceptRollback(isDryRun: isDryRun))
    }

    /// Makes the group in a copied or renamed folder a group of its own, with another UUID, new keys and its own key file,
    /// or the passphrase if one was given; repairs it first if it is damaged. A folder without a group adopts the group that
    /// the keyring holds under this name.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the parent of group folders; by default `$XDG_DATA_HOME/swift-token-cache`.
    ///   - collection: the collection of the keyring; by default the default collection.
    ///   - storage: what unlocks the group.
    ///   - fallbackUnlocking: other ways to unlock a group in the encrypted file, if the storage is chosen
    ///     automatically.
    ///   - timeout: how long to wait for the lock, and for the keyring.
    ///   - prompts: whether the keyring may prompt the user.
    /// - Returns: what was repaired, and the key files and items of the keyring that stay with the original.
    /// - Throws: `exists` if the folder's own group can be opened, so that there is nothing to adopt; `notFound` if the
    ///   keyring holds none; and errors of the keyring and of opening the group.
    public static func adopt(
        _ name: String,
        root: String? = nil,
        collection: String? = nil,
        storage: StorageChoice = .automatic,
        fallbackUnlocking: [FileUnlocking] = [],
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never
    ) throws(TokenCacheError) -> RepairReport {
        let opener = try opener(
            of: name,
            root: root,
            storage: storage,
            fallbackUnlocking: fallbackUnlocking,
            timeout: timeout,
            prompts: prompts
        )
        return try translating(try opener.adopt(collection: collection))
    }

    static func opener(
        of name: String,
        root: String?,
        storage: StorageChoice,
        fallbackUnlocking: [FileUnlocking],
        timeout: Duration,
        prompts: KeyringPrompts
    ) throws(TokenCacheError) -> GroupOpener {
        let location = try translating(try GroupLocation(name, root: root, environment: Environment.folders))
        var opener = GroupOpener(location, storage: storage, access: .readWrite, timeout: timeout, prompts: prompts)
        opener.fallbackUnlocking = fallbackUnlocking
        return opener
    }
}
