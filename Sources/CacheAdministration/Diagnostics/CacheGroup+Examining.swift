internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Looks at everything that a group rests on: its folder, files, locks and key slots, the keyring, the memory for secrets.
    ///
    /// Nothing is changed, unless a round trip is asked for, and that takes away what it wrote. What is wrong is a finding, never an
    /// error: one trouble must not hide the next.
    ///
    /// - Parameters:
    ///   - name: of the group.
    ///   - root: the parent of group folders; without one the user's.
    ///   - storage: where the group keeps its records, and what opens it.
    ///   - fallbackUnlocking: what else may open it.
    ///   - timeout: how long locks and the keyring are waited for, all in all.
    ///   - prompts: whether the keyring may ask the person.
    ///   - probesWriting: write something, read it back and remove it, where the group keeps its records.
    /// - Returns: what was found, in the order in which one thing rests on another.
    /// - Throws: `invalidName`, `homeMissing` where no home folder is known.
    public static func examine(
        _ name: String,
        root: String? = nil,
        storage: StorageChoice = .automatic,
        fallbackUnlocking: [FileUnlocking] = [],
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never,
        probesWriting: Bool = false
    ) throws(TokenCacheError) -> [ExaminationFinding] {
        let location = try storing { () throws(StorageError) in
            try GroupLocation(name, root: root, environment: Environment.folders)
        }
        var examination = GroupExamination(
            location: location,
            root: root,
            storage: storage,
            fallbackUnlocking: fallbackUnlocking,
            timeout: timeout,
            prompts: prompts,
            probesWriting: probesWriting,
            deadline: .after(timeout)
        )
        examination.run()
        return examination.findings
    }
}
