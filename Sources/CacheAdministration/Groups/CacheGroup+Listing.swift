// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage
public import TokenCaching

extension CacheGroup {
    /// The default parent of group folders; nil if the home folder is unknown.
    public static var standardRoot: String? {
        (try? GroupDirectory.defaultRoot(environment: Environment.folders))?.string
    }

    /// Whether the session's keyring holds a group of this name, for whichever folder. False in a session without a
    /// keyring.
    ///
    /// - Parameters:
    ///   - name: the name of the group.
    ///   - timeout: how long to wait for the keyring.
    /// - Returns: whether it does.
    /// - Throws: `keyringLocked`, `timeout` and other codes if the keyring cannot be queried now, so that the result is
    ///   unknown; `invalidName`.
    public static func isInKeyring(_ name: String, timeout: Duration = .seconds(2)) throws(TokenCacheError) -> Bool {
        let location = try translating(try GroupLocation(name, root: "/", environment: Environment.folders))
        return try translating(try location.keyringHasGroup(until: .after(timeout)))
    }

    /// Lists the groups below a root, sorted by name, with the information that is available without a key.
    ///
    /// - Parameter root: the parent of group folders; by default `$XDG_DATA_HOME/swift-token-cache`.
    /// - Returns: one summary for each folder that may be a group; empty if there is no such root.
    /// - Throws: `unsafePermissions` and other codes about the root. Problems of a single group are reported in its
    ///   summary.
    public static func list(root: String? = nil) throws(TokenCacheError) -> [GroupSummary] {
        try translating(try summaries(root: root))
    }

    private static func summaries(root: String?) throws(StorageError) -> [GroupSummary] {
        let root =
            if let root { try GroupLocation.root(root) } else {
                try GroupDirectory.defaultRoot(environment: Environment.folders)
            }
        return try GroupDirectory.list(root: root).map { GroupSummary(of: $0, root: root) }
    }
}

extension GroupSummary {
    init(of name: GroupName, root: FilePath) {
        let path = root.appending(name.text).string
        do throws(StorageError) {
            let directory = try GroupDirectory.open(root: root, name: name, access: .readOnly)
            // Look for the store's files before reading the state file. The state file is created first, so a group
            // that is being created does not look as if it had lost its state file.
            let needingState = try [any StorageBackend].all.needingState(in: directory)
            let state = try directory.readState()
            let look = try FileStore.look(in: directory)
            if state == nil, look == .absent, let needingState { throw needingState.missingState(in: directory) }
            let known = Self.state(state, look)
            self.init(
                name: name.text,
                path: path,
                storage: state.map { StorageLocation.Kind($0.storage) } ?? (look == .absent ? .unknown : .file),
                state: known,
                problem: known == .damaged ? TokenCacheError(look.damage(in: directory)) : nil
            )
        } catch {
            let state: State = error.code == .damaged ? .damaged : .unreadable
            self.init(name: name.text, path: path, storage: .unknown, state: state, problem: TokenCacheError(error))
        }
    }

    private static func state(_ state: StoreState?, _ look: JournalLook) -> State {
        if let state, state.storage != .file { return state.phase == .creating ? .creating : .ready }
        switch look {
        case .journal: return .ready
        case .empty, .truncated, .foreign: return .damaged
        case .absent: return state.map { $0.phase == .creating ? .creating : .damaged } ?? .empty
        }
    }
}
