// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Migrates a group from the keyring to the file or back. Meanwhile it cannot be changed: writers get `busy`, and
    /// afterwards every process that has it open gets `storageMismatch` and must open it again.
    ///
    /// An interrupted migration is resumed, or undone by naming the store that the group has.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the parent of group folders; by default `$XDG_DATA_HOME/swift-token-cache`.
    ///   - target: the keyring, or the file with the ways to unlock it.
    ///   - storage: the way to unlock the group now, if it is in a file that does not open by itself.
    ///   - fallbackUnlocking: other ways to unlock it.
    ///   - timeout: for locks and the keyring; each migrated part of the group has the same time again.
    ///   - prompts: whether the keyring may prompt the user, before anything is changed.
    ///   - progress: is passed the progress in parts of the group, and can have everything undone.
    /// - Returns: what was migrated.
    /// - Throws: `notFound`, `tooLarge` if the keyring cannot take it, `groupElsewhere`, `damaged` if something cannot
    ///   be read or was not stored as written, `cancelled`, and errors of both stores. The group is then where it was.
    public static func migrate(
        _ name: String,
        root: String? = nil,
        to target: StorageChoice,
        storage: StorageChoice = .automatic,
        fallbackUnlocking: [FileUnlocking] = [],
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never,
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> MigrationReport {
        try migrate(
            name,
            root: root,
            to: target,
            storage: storage,
            fallbackUnlocking: fallbackUnlocking,
            timeout: timeout,
            prompts: prompts,
            progress: progress,
            onStep: nil
        )
    }

    /// The same for tests: `onStep` is called at each step, and an error that it returns ends the call as if the process were killed.
    package static func migrate(
        _ name: String,
        root: String? = nil,
        to target: StorageChoice,
        storage: StorageChoice = .automatic,
        fallbackUnlocking: [FileUnlocking] = [],
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never,
        progress: ProgressHandler? = nil,
        onStep: ((MigrationStep) -> StorageError?)?
    ) throws(TokenCacheError) -> MigrationReport {
        let location = try translating(try GroupLocation(name, root: root, environment: Environment.folders))
        var opener = GroupOpener(location, storage: storage, access: .readWrite, timeout: timeout, prompts: prompts)
        opener.fallbackUnlocking = fallbackUnlocking
        return try translating(try opener.migrate(to: target, progress: progress, onStep: onStep))
    }
}
