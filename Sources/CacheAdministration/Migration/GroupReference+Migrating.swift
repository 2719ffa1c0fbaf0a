// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
public import TokenCaching

extension GroupReference {
    /// Migrates a group from the keyring to the encrypted file, or back. The group cannot be changed meanwhile: writers
    /// wait, or get `busy`, and afterwards every process that has it open gets `storageMismatch` and must open it again.
    ///
    /// The records are copied and compared, then one atomic step makes the new store the group's. If the call is interrupted
    /// before that, the group stays in its old store. What the other store still has is removed by the next process that
    /// opens the group for writing, or by calling this again. The timeout restarts with each migrated part of the group,
    /// and the keyring prompts the user only before anything is changed.
    ///
    /// - Parameters:
    ///   - target: the keyring, or the encrypted file with the ways to unlock it.
    ///   - progress: is called with the number of migrated partitions, and can cancel, which undoes everything.
    /// - Returns: what was migrated.
    /// - Throws: `notFound`, `tooLarge` if the keyring cannot hold the group, `groupElsewhere`, `damaged` if something
    ///   cannot be read or was not stored as written, `cancelled`, and errors of both stores. The group then stays in
    ///   its old store, unless only emptying that failed, which the next opening for writing tries again.
    @discardableResult
    public func migrate(
        to target: StorageChoice,
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> MigrationReport {
        try migrate(to: target, progress: progress, onStep: nil)
    }

    /// The same for tests: `onStep` is called at each step, and an error that it returns ends the call as if the
    /// process were killed.
    package func migrate(
        to target: StorageChoice,
        progress: ProgressHandler? = nil,
        onStep: ((MigrationStep) -> StorageError?)?
    ) throws(TokenCacheError) -> MigrationReport {
        let opener = try opener()
        return try translating(try opener.migrate(to: target, progress: progress, onStep: onStep))
    }
}
