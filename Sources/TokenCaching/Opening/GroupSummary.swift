package import GroupDirectory

/// What can be said of a group without its key.
public struct GroupSummary: Hashable, Sendable {
    /// The kind of store that keeps the records.
    public enum Storage: String, Hashable, Sendable {
        /// The encrypted file.
        case file
        /// The user's keyring.
        case keyring
        /// Memory of this process.
        case memory
        /// A kind that this version does not know.
        case unknown
    }

    /// Whether the group can be opened, as far as its folder tells.
    public enum State: String, Hashable, Sendable {
        /// It can.
        case ready
        /// Its creation was begun and not completed. Whoever opens it to write completes it.
        case creating
        /// Its records are being taken to another kind of store, or that was broken off: `cachetool migrate` goes on.
        case moving
        /// Files of it are missing, or are not what they must be: see ``GroupSummary/problem``.
        case damaged
        /// Its folder or its files cannot be trusted or read: see ``GroupSummary/problem``.
        case unreadable
        /// A folder that holds no group.
        case empty
    }

    /// The name of the group.
    public let name: String
    /// Its folder.
    public let path: String
    /// The kind of store.
    public let storage: Storage
    /// Whether it can be opened.
    public let state: State
    /// What is wrong, where something is.
    public let problem: TokenCacheError?

    package init(name: String, path: String, storage: Storage, state: State, problem: TokenCacheError? = nil) {
        self.name = name
        self.path = path
        self.storage = storage
        self.state = state
        self.problem = problem
    }
}

extension GroupSummary.Storage {
    package init(_ kind: StorageKind) {
        switch kind {
        case .file: self = .file
        case .keyring: self = .keyring
        default: self = .unknown
        }
    }
}
