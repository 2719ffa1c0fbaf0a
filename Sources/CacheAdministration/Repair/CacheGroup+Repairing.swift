// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Makes a damaged group usable again: keeps every record that verifies, and moves the rest to its folder
    /// `quarantine`.
    ///
    /// Opening a group never does this by itself. An undamaged group is not changed. Accounts that a lost record may
    /// have signed out count as signed out; an older token never replaces a lost newer one. If the journal is missing,
    /// empty or not a journal at all, or none of its headers verifies, it is quarantined, and the group starts over,
    /// empty.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the parent of group folders; by default `$XDG_DATA_HOME/swift-token-cache`.
    ///   - storage: what unlocks the group.
    ///   - fallbackUnlocking: what else may unlock a group in the file, if the storage is chosen automatically.
    ///   - isDryRun: only reports what would be done.
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

    /// Accepts the file of a group as it is, although the keyring remembers a newer one, and repairs it if it is
    /// damaged.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the parent of group folders; without one it is `$XDG_DATA_HOME/swift-token-cache`.
    ///   - storage: what unlocks the group.
    ///   - fallbackUnlocking: what else may unlock a group in the file, if the storage is chosen automatically.
    ///   - timeout: how long to wait for the lock, and for the keyring.
    ///   - prompts: whether the keyring may prompt the user.
    /// - Returns: what was repaired; `nil` if nothing had to be.
    /// - Throws: errors of opening the group and of the keyring.
    public static func acceptRollback(
        _ name: String,
        root: String? = nil,
        storage: StorageChoice = .automatic,
        fallbackUnlocking: [FileUnlocking] = [],
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never
    ) throws(TokenCacheError) -> RepairReport? {
        let opener = try opener(
            of: name,
            root: root,
            storage: storage,
            fallbackUnlocking: fallbackUnlocking,
            timeout: timeout,
            prompts: prompts
        )
        return try translating(try opener.acceptRollback())
    }

    /// Makes a folder without a group the one of the group that the keyring holds under this name; or accepts the group
    /// in the folder as the group of this name, although another one was there when it was last opened, and repairs it
    /// if it is damaged.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the parent of group folders; without one it is `$XDG_DATA_HOME/swift-token-cache`.
    ///   - collection: of the keyring; without one the default one.
    ///   - storage: what unlocks the group.
    ///   - fallbackUnlocking: what else may unlock a group in the file, if the storage is chosen automatically.
    ///   - timeout: how long to wait for the lock, and for the keyring.
    ///   - prompts: whether the keyring may prompt the user.
    /// - Returns: what was repaired; `nil` if nothing had to be.
    /// - Throws: `exists` if the folder contains a group that can be opened, `notFound` if the keyring holds none, and
    ///   errors of the keyring and of opening the group.
    public static func adopt(
        _ name: String,
        root: String? = nil,
        collection: String? = nil,
        storage: StorageChoice = .automatic,
        fallbackUnlocking: [FileUnlocking] = [],
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never
    ) throws(TokenCacheError) -> RepairReport? {
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
