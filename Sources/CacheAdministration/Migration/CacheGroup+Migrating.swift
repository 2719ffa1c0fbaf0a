package import RecordStorage
package import TokenCaching

extension CacheGroup {
    /// Takes a group from the keyring to the file or the other way. Nobody may have to change it meanwhile: writers get
    /// `busy`, and afterwards whoever has it open gets `storageMismatch` and
    /// opens it anew.
    ///
    /// An attempt that was broken off is gone on with, or taken back by naming the store that the group has.
    ///
    /// - Parameters:
    ///   - name: of the group.
    ///   - root: the parent of group folders; without one it is `$XDG_DATA_HOME/swift-token-cache`.
    ///   - target: the keyring, or the file with what is to open it.
    ///   - storage: what opens the group now, where that is a file that does not open by itself.
    ///   - fallbackUnlocking: what else may open it.
    ///   - timeout: for locks and the keyring; each part of the group that was taken has as much again.
    ///   - prompts: whether the keyring may ask the person, before anything is changed.
    ///   - progress: hears how far it has come, in parts of the group, and can have everything taken back.
    ///   - onStep: for tests: is told each step; an error that it returns ends the call as if the process were killed.
    /// - Returns: what was taken over.
    /// - Throws: `notFound`, `tooLarge` where the keyring cannot take it,
    ///   `groupElsewhere`, `damaged` where something cannot be read or was not
    ///   kept as it was written, `cancelled`, and what both stores meet. The group is then where it
    ///   was.
    package static func migrate(
        _ name: String,
        root: String? = nil,
        to target: StorageChoice,
        storage: StorageChoice = .automatic,
        fallbackUnlocking: [FileUnlocking] = [],
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never,
        progress: ProgressHandler? = nil,
        onStep: ((MigrationStep) -> StorageError?)? = nil
    ) throws(TokenCacheError) -> MigrationReport {
        let location = try storing { () throws(StorageError) in
            try GroupLocation(name, root: root, environment: Environment.folders)
        }
        var opener = GroupOpener(location, storage: storage, access: .readWrite, timeout: timeout, prompts: prompts)
        opener.fallbackUnlocking = fallbackUnlocking
        do throws(TokenCacheError) {
            return try opener.migrate(to: target, progress: progress, onStep: onStep)
        } catch {
            // A transaction is given up only by who hears of the progress.
            throw error.code == .invalidRequest && progress != nil && error.detail == nil
                ? TokenCacheError(.cancelled) : error
        }
    }
}
