internal import GroupDirectory
internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Makes a damaged group usable again: keeps every record that verifies, sets the rest aside in its folder `quarantine`.
    ///
    /// Opening a group never does this by itself. Where nothing is damaged nothing is done. Accounts that a lost record may
    /// have signed out count as signed out; no older token takes the place of a newer one that is lost. Where the journal is
    /// gone, empty or none at all, or none of its headers verifies, it is set aside, and the group begins anew, empty.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the parent of group folders; without one it is `$XDG_DATA_HOME/swift-token-cache`.
    ///   - storage: what unlocks the group.
    ///   - isDryRun: only tells what would be done.
    ///   - timeout: how long to wait for the lock.
    /// - Returns: what was found and done.
    /// - Throws: `notFound`, `keyMissing`,
    ///   `keyRejected`, `foreign`, `busy`. The group is
    ///   then as it was.
    public static func repair(
        _ name: String,
        root: String? = nil,
        storage: StorageChoice = .automatic,
        isDryRun: Bool = false,
        timeout: Duration = .seconds(2)
    ) throws(TokenCacheError) -> RepairSummary {
        try repair(
            name,
            root: root,
            storage: storage,
            fallbackUnlocking: [],
            isDryRun: isDryRun,
            timeout: timeout,
            prompts: .never
        )
    }

    /// The same, where a group in the file may also be opened in other ways than the automatic ones.
    package static func repair(
        _ name: String,
        root: String?,
        storage: StorageChoice,
        fallbackUnlocking: [FileUnlocking],
        isDryRun: Bool,
        timeout: Duration,
        prompts: KeyringPrompts
    ) throws(TokenCacheError) -> RepairSummary {
        try opener(
            of: name,
            root: root,
            storage: storage,
            fallbackUnlocking: fallbackUnlocking,
            timeout: timeout,
            prompts: prompts
        )
        .repair(isDryRun: isDryRun)
    }

    /// Takes the file of a group as it is, though the keyring remembers a newer one, and repairs it where it is damaged.
    ///
    /// - Returns: what was repaired; `nil` where nothing had to be.
    /// - Throws: what opening the group and the keyring meet.
    package static func acceptRollback(
        _ name: String,
        root: String?,
        storage: StorageChoice,
        fallbackUnlocking: [FileUnlocking],
        timeout: Duration,
        prompts: KeyringPrompts
    ) throws(TokenCacheError) -> RepairSummary? {
        try opener(
            of: name,
            root: root,
            storage: storage,
            fallbackUnlocking: fallbackUnlocking,
            timeout: timeout,
            prompts: prompts
        )
        .acceptRollback()
    }

    /// Makes a folder that has no group the one of the group that the keyring has under this name; or takes the group that
    /// lies in the folder for the group of this name, where another one lay there when it was opened last, and repairs that
    /// where it is damaged.
    ///
    /// - Returns: what was repaired; `nil` where nothing had to be.
    /// - Throws: `exists` where the folder has a group and nothing stands in its way,
    ///   `notFound` where the keyring has none, and what the keyring and opening the group meet.
    package static func adopt(
        _ name: String,
        root: String?,
        collection: String?,
        storage: StorageChoice,
        fallbackUnlocking: [FileUnlocking],
        timeout: Duration,
        prompts: KeyringPrompts
    ) throws(TokenCacheError) -> RepairSummary? {
        try opener(
            of: name,
            root: root,
            storage: storage,
            fallbackUnlocking: fallbackUnlocking,
            timeout: timeout,
            prompts: prompts
        )
        .adopt(collection: collection)
    }

    private static func opener(
        of name: String,
        root: String?,
        storage: StorageChoice,
        fallbackUnlocking: [FileUnlocking],
        timeout: Duration,
        prompts: KeyringPrompts
    ) throws(TokenCacheError) -> GroupOpener {
        let location = try storing { () throws(StorageError) in
            try GroupLocation(name, root: root, environment: Environment.folders)
        }
        var opener = GroupOpener(location, storage: storage, access: .readWrite, timeout: timeout, prompts: prompts)
        opener.fallbackUnlocking = fallbackUnlocking
        return opener
    }
}
