// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Migrates a group from the keyring to the encrypted file, or back. The group cannot be changed meanwhile: writers
    /// wait, or get `busy`, and afterwards every process that has it open gets `storageMismatch` and must open it again.
    ///
    /// The records are copied and compared, then one atomic step makes the new store the group's. If the call is interrupted
    /// before that, the group stays in its old store. What the other store still has is removed by the next process that
    /// opens the group for writing, or by calling this again.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the parent of group folders; by default `$XDG_DATA_HOME/swift-token-cache`.
    ///   - target: the keyring, or the encrypted file with the ways to unlock it.
    ///   - storage: how to unlock the group now, if it is in a file that the library cannot open by itself.
    ///   - fallbackUnlocking: other ways to unlock it.
    ///   - timeout: how long to wait for locks and the keyring; the timeout restarts with each migrated part of the
    ///     group.
    ///   - prompts: whether the keyring may prompt the user, before anything is changed.
    ///   - progress: is called with the number of migrated partitions, and can cancel, which undoes everything.
    /// - Returns: what was migrated.
    /// - Throws: `notFound`, `tooLarge` if the keyring cannot hold the group, `groupElsewhere`, `damaged` if something
    ///   cannot be read or was not stored as written, `cancelled`, and errors of both stores. The group then stays in
    ///   its old store, unless only emptying that failed, which the next opening for writing tries again.
    @discardableResult
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

    /// The same for tests: `onStep` is called at each step, and an error that it returns ends the call as if the
    /// process were killed.
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
